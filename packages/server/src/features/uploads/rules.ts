import { bounds } from '../../core/limits.ts';

/** The media type of a file that browsers must only download. */
export const UNKNOWN_TYPE = 'application/octet-stream';

/** Media types that browsers can display in place, by the type served: none of these can run scripts. */
const inlineTypes: Readonly<Record<string, string>> = {
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
const servedTypes = new Set(Object.values(inlineTypes));

/** The media type with which a file is served, by its content. */
export const getServedType = (found: string | undefined): string => (found && inlineTypes[found]) || UNKNOWN_TYPE;

/** Whether browsers can display it in place. */
export const isShownInline = (content_type: string): boolean => servedTypes.has(content_type);

/** The name of a file whose given name has no valid characters left. */
const NAMELESS = 'file';

/**
 * A name without characters that have a meaning in paths or links or mislead readers: directories, direction marks and
 * spaces are removed. The extension stays when the name is cut.
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

/** The path of a file. */
export interface Address {
  readonly realm_id: number;
  readonly upload_key: string;
  readonly file_name: string;
}

/** The URL of a file, encoded for links. */
export function toUri({ realm_id, upload_key, file_name }: Address): string {
  return `/user_uploads/${realm_id}/${upload_key}/${encodeURIComponent(file_name)}`;
}

/** Milliseconds for which a temporary URL is valid. */
export const TEMPORARY = 60_000;
/** Milliseconds for which a file without links is kept. */
export const UNLINKED_LIFETIME = 7 * 24 * 3600 * 1000;
