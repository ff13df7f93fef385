import type { LinkedStream } from './render-facts.ts';

const UPLOADS = '/user_uploads/';
/** Only for the URL parser to resolve paths; no link has this base. */
const HERE = 'http://parley.invalid';
const IMAGE = /\.(?:avif|bmp|gif|jpe?g|png|webp)$/i;

/**
 * Whether a text can link to this address. Everything not known to be harmless is rejected, including relative links.
 */
export function isSafeLink(url: string): boolean {
  return isWebLink(url) || isUpload(url);
}

export function isWebLink(url: string): boolean {
  return /^(?:https?:\/\/|mailto:)[^\s\\\p{Cc}]+$/iu.test(url) && URL.canParse(url);
}

/** The URL parser decides, because browsers resolve `..` in all its spellings out of the folder. */
export function isUpload(url: string): boolean {
  if (!url.startsWith(UPLOADS) || !/^[^\s\\\p{Cc}]+$/u.test(url)) return false;
  const { pathname } = new URL(url, HERE);
  return pathname.startsWith(UPLOADS) && pathname.length > UPLOADS.length;
}

/** The organization and the key in the URL of an upload. */
export function findUploadInLink(url: string): { realm_id: number; key: string } | undefined {
  if (!isUpload(url)) return undefined;
  const [realm, key, name] = new URL(url, HERE).pathname.slice(UPLOADS.length).split('/');
  if (!/^\d{1,15}$/.test(realm ?? '') || !key || !name) return undefined;
  return { realm_id: Number(realm), key };
}

export function isImageLink(url: string): boolean {
  if (!URL.canParse(url, HERE)) return false;
  const { protocol, pathname } = new URL(url, HERE);
  return protocol !== 'mailto:' && IMAGE.test(pathname);
}

/** The URL of a stream, or of a topic in it, in the application. */
export function narrowLink(stream: LinkedStream, topic?: string): string {
  const address = `/#narrow/stream/${stream.id}-${encodeName(stream.name.replaceAll(' ', '-'))}`;
  return topic === undefined ? address : `${address}/topic/${encodeName(topic)}`;
}

/** Percent-encoding with dots for percent signs: browsers decode percent signs in fragments at different times. */
function encodeName(name: string): string {
  const wellFormed = name.replace(/\p{Cs}/gu, '\ufffd');
  return encodeURIComponent(wellFormed)
    .replace(/[.!~*'()]/g, percent)
    .replaceAll('%', '.');
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
