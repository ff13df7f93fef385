import type { Document } from '@parley/openapi/document';
import document from '../../../openapi/generated/openapi.json' with { type: 'json' };
import { siteOf } from './model/site.ts';

/** The document at the time of the build. `npm run generate` creates it. */
export const openapi = document as unknown as Document;
export const site = siteOf(openapi);
