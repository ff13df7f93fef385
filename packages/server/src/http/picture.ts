import { createHash } from 'node:crypto';

const CELLS = 5;

/** A picture that makes ids distinguishable at a glance: a mirrored pattern in one color, as SVG. */
export function picture(kind: 'avatar' | 'icon', id: string): string {
  const digest = createHash('sha256').update(`${kind}:${id}`).digest();
  const hue = Math.round((digest.readUInt16BE(0) / 0xffff) * 360);
  const bits = digest.readUInt16BE(2);
  const cells: string[] = [];
  for (let row = 0; row < CELLS; row++) {
    for (let column = 0; column < CELLS; column++) {
      const bit = row * 3 + Math.min(column, CELLS - 1 - column);
      if ((bits >> bit) & 1) cells.push(`M${column + 1} ${row + 1}h1v1h-1z`);
    }
  }
  return (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 7 7" width="100" height="100" shape-rendering="crispEdges">' +
    `<path fill="hsl(${hue} 30% 92%)" d="M0 0h7v7h-7z"/><path fill="hsl(${hue} 55% 45%)" d="${cells.join('')}"/></svg>\n`
  );
}
