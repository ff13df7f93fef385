import type { APIRoute } from 'astro';
import { openapi, site } from '../../document.ts';
import { consoleOf } from '../../model/console.ts';
import type { OperationPage } from '../../model/operations.ts';

export const getStaticPaths = () =>
  site.operations.map((page) => ({ params: { operation: page.id }, props: { page } }));

/** What the console of an operation works with; fetched when it is opened. */
export const GET: APIRoute<{ page: OperationPage }> = ({ props }) =>
  new Response(JSON.stringify(consoleOf(openapi, props.page)), { headers: { 'Content-Type': 'application/json' } });
