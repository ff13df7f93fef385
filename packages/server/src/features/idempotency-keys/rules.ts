const KEY = /^[!-~]{1,255}$/;

/** Whether a header can be a key: visible ASCII, as the document says. */
export const isKey = (header: string): boolean => KEY.test(header);
