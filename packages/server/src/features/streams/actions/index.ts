// A front door of its own: archiving uses the settings of the organization, which stand beside `streams/index.ts`.
export { archiveStreams } from './archive.ts';
