import type { OAuthForm, OAuthResponse } from './exchange.ts';

/**
 * The form of a request, completed by the `client_id` and `client_secret` of its `Authorization` header if it has one;
 * or the problem of these. Applications percent-encode both before they join them (RFC 6749, 2.3.1), which the library
 * does not decode.
 */
export function readClientCredentials(header: string | undefined, form: OAuthForm): OAuthForm | OAuthResponse {
  if (header === undefined) return form;
  const pair = parseBasic(header);
  if (!pair)
    return toError(401, 'invalid_client', 'Authorization: it must be Basic, with client_id and client_secret.');
  const [client_id, client_secret] = pair;
  if (form.client_secret !== undefined || (form.client_id ?? client_id) !== client_id)
    return toError(400, 'invalid_request', 'client_id and client_secret: send them in one way only.');
  return { ...form, client_id, client_secret };
}

const toError = (status: number, error: string, error_description: string): OAuthResponse => ({
  status,
  body: { error, error_description },
});

export const isOAuthResponse = (value: OAuthForm | OAuthResponse): value is OAuthResponse =>
  typeof value.body === 'object';

function parseBasic(header: string): [string, string] | undefined {
  const encoded = /^\s*basic\s+([\w+/-]+={0,2})\s*$/i.exec(header)?.[1];
  const text = Buffer.from(encoded ?? '', 'base64').toString('utf8');
  const at = text.indexOf(':');
  if (at < 0) return undefined;
  try {
    return [decodeFormText(text.slice(0, at)), decodeFormText(text.slice(at + 1))];
  } catch {
    return undefined;
  }
}

const decodeFormText = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '));
