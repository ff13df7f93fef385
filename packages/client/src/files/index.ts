// Files of messages. An entry of its own, because many programs have none.
export { fileUrl } from './file-url.ts';
export { createProgressFetch, type UploadProgress } from './progress.ts';
