// A separate entry point: archiving uses the settings of the organization, which in turn import `streams/index.ts`.
export { archiveStreams } from './archive.ts';
