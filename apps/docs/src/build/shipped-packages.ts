import type { AstroIntegration } from 'astro';

/** Packages whose code or styles become part of the pages. NOTICE names them, and their licenses are checked. */
export const SHIPPED_PACKAGES: readonly string[] = [
  '@astrojs/starlight',
  '@cfworker/json-schema',
  'astro',
  'minisearch',
];

/** Fails the build if the scripts of the pages have code of another package, or if the list has a package without code. */
export function checkShippedPackages(): AstroIntegration {
  const shipped = new Set<string>();
  return {
    name: 'parley-check-shipped-packages',
    hooks: {
      'astro:build:setup': ({ vite, target }) => {
        if (target !== 'client') return;
        vite.plugins ??= [];
        vite.plugins.push({
          name: 'parley-list-shipped-packages',
          generateBundle(_options, bundle) {
            for (const output of Object.values(bundle)) {
              for (const path of output.type === 'chunk' ? output.moduleIds : []) {
                const name = packageOf(path);
                if (name !== undefined) shipped.add(name);
              }
            }
          },
        });
      },
      'astro:build:done': () => {
        const problem = shippedProblem(shipped);
        if (problem !== undefined) throw new Error(problem);
      },
    },
  };
}

export function shippedProblem(shipped: Iterable<string>): string | undefined {
  const found = [...shipped].sort().join(', ');
  if (found === [...SHIPPED_PACKAGES].sort().join(', ')) return undefined;
  return `The pages ship ${found}: change SHIPPED_PACKAGES and NOTICE.`;
}

/** The package of a module; undefined for modules of this repository. */
export function packageOf(path: string): string | undefined {
  const inside = path.replaceAll('\\', '/').split('/node_modules/');
  return inside.length === 1 ? undefined : /^(@[^/]+\/)?[^/?]+/.exec(inside.at(-1) ?? '')?.[0];
}
