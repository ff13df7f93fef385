import type { Schema } from '../../core/contract.ts';
import type { AttachmentRow } from './queries/links.ts';
import { toUri } from './rules.ts';

export function presentAttachment(
  realm_id: number,
  { id, key, name, size, create_time, messages }: Omit<AttachmentRow, 'user_id' | 'space'>,
): Schema<'Attachment'> {
  const uri = toUri({ realm_id, upload_key: key, file_name: name });
  return { id, name, path_id: uri.slice('/user_uploads/'.length), size, create_time, messages };
}
