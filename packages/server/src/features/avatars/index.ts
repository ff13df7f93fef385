export { findPicture } from './queries.ts';
