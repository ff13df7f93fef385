import type { Document } from '@parley/openapi/document';
import document from '../../../openapi/generated/openapi.json' with { type: 'json' };
import { siteOf } from './model/site.ts';

/** The document as it stands when the pages are built; `npm run generate` makes it. */
export const openapi = document as unknown as Document;
export const site = siteOf(openapi);
