import type { APIRoute } from 'astro';
import { site } from '../document.ts';
import { listPages } from '../list-pages.ts';
import { renderLlmsTxt } from '../model/llms.ts';
import { BASE } from '../model/urls.ts';

export const GET: APIRoute = async () => {
  const guides = (await listPages()).map(({ id, data }) => ({
    title: data.title,
    url: id === 'index' ? `${BASE}/` : `${BASE}/${id}/`,
    description: data.description ?? '',
  }));
  return new Response(renderLlmsTxt(site, guides), { headers: { 'Content-Type': 'text/plain; charset=utf-8' } });
};
