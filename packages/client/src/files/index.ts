// Files of messages. A separate entry point, because many programs use none.
export { fileUrl } from './file-url.ts';
export { createProgressFetch, type UploadProgress } from './progress.ts';
