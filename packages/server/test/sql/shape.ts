/** A statement without the numbers of its parameters and the length of its lists. */
export const toShape = (text: string): string =>
  text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\$\d+/g, '$')
    .replaceAll(/(\([$,: a-z[\]]*\)|\$)(, \1)+/g, '$1…')
    .replaceAll(/\d+/g, '0');
