const KEY = /^[!-~]{1,255}$/;

/** Whether a header value is a valid key: visible ASCII, as the document says. */
export const isKey = (header: string): boolean => KEY.test(header);
