import type { APIRoute } from 'astro';
import { openapi, site } from '../../document.ts';
import { consoleOf } from '../../model/console.ts';
import type { OperationPage } from '../../model/operations.ts';

export const getStaticPaths = () =>
  site.operations.map((page) => ({ params: { operation: page.id }, props: { page } }));

/** The data of the console of an operation. The page fetches it when the reader opens the console. */
export const GET: APIRoute<{ page: OperationPage }> = ({ props }) =>
  new Response(JSON.stringify(consoleOf(openapi, props.page)), { headers: { 'Content-Type': 'application/json' } });
