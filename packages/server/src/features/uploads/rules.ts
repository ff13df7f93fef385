import { bounds } from '../../core/limits.ts';

/** What a file is served as that is to be downloaded and nothing else. */
export const UNKNOWN_TYPE = 'application/octet-stream';

/** What browsers may show in place, under the name it is served by: nothing in these can run. */
const shown: Readonly<Record<string, string>> = {
  'image/png': 'image/png',
  'image/apng': 'image/png',
  'image/jpeg': 'image/jpeg',
  'image/gif': 'image/gif',
  'image/webp': 'image/webp',
  'image/avif': 'image/avif',
  'audio/mpeg': 'audio/mpeg',
  'audio/ogg': 'audio/ogg',
  'audio/ogg; codecs=opus': 'audio/ogg',
  'audio/opus': 'audio/ogg',
  'audio/wav': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'audio/flac': 'audio/flac',
  'audio/x-flac': 'audio/flac',
  'audio/mp4': 'audio/mp4',
  'audio/x-m4a': 'audio/mp4',
  'audio/aac': 'audio/aac',
  'video/mp4': 'video/mp4',
  'video/webm': 'video/webm',
  'video/ogg': 'video/ogg',
  'application/pdf': 'application/pdf',
};
const servedTypes = new Set(Object.values(shown));

/** What a file is served as, by what was found in it. */
export const getServedType = (found: string | undefined): string => (found && shown[found]) || UNKNOWN_TYPE;

/** Whether browsers may show it in place. */
export const isShownInline = (content_type: string): boolean => servedTypes.has(content_type);

/** What a file is called that came by a name of which nothing is left. */
const NAMELESS = 'file';

/**
 * A name without anything that means something to a path, a link or a reader's eye: of folders, marks of direction and
 * spaces nothing is left. The ending stays when it is cut.
 */
export function parseFileName(sent: string): string {
  const plain = (sent.split(/[/\\]/).at(-1) ?? '')
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '')
    .replace(/[^\p{L}\p{M}\p{N}._-]+/gu, '_')
    .replace(/^[._-]+/, '')
    .replace(/\.{2,}/g, '.')
    .replace(/[._-]+$/, '');
  const characters = [...plain];
  if (characters.length <= bounds.file_name) return plain || NAMELESS;
  const ending = /\.[\p{L}\p{N}]{1,10}$/u.exec(plain)?.[0] ?? '';
  return characters.slice(0, bounds.file_name - [...ending].length).join('') + ending;
}

/** Where a file is, as the path has it. */
export interface Address {
  readonly realm_id: number;
  readonly upload_key: string;
  readonly file_name: string;
}

/** The address of a file, encoded as a link needs it. */
export function toUri({ realm_id, upload_key, file_name }: Address): string {
  return `/user_uploads/${realm_id}/${upload_key}/${encodeURIComponent(file_name)}`;
}

/** Milliseconds that a temporary address is good for. */
export const TEMPORARY = 60_000;
/** Milliseconds that a file stays which nothing links. */
export const KEPT_UNLINKED = 7 * 24 * 3600 * 1000;
