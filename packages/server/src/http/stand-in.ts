// What was written once is also checked once: the validator gets an answer in which only that stands which it has not seen.
import type { RequestHandler } from 'express';
import { PreserializedList } from '../core/written.ts';
import { callOf } from './call.ts';

const answers = new WeakMap<object, object>();

/** The answer that was given, of which the validator may have seen a stand-in. */
export function answerBehind(checked: unknown): unknown {
  return typeof checked === 'object' && checked !== null ? (answers.get(checked) ?? checked) : checked;
}

/**
 * Behind the validator's hook of `res.json`. Lists say nothing of their length or of how their items go together, so a list
 * is valid if each item is: those of its source have to be looked at once, and its own each time.
 */
export const standIn: RequestHandler = (req, res, next) => {
  const check = res.json;
  res.json = (body: unknown) => {
    if (typeof body !== 'object' || body === null) return check.call(res, body);
    const lists = Object.entries(body).filter(
      (entry): entry is [string, PreserializedList<object>] => entry[1] instanceof PreserializedList,
    );
    if (lists.length === 0) return check.call(res, body);
    const { id } = callOf(req);
    const place = (field: string) => `${id}.${field}`;
    const seen = lists.map(([field, list]) => [field, list.itemsToValidate(place(field))] as const);
    const stand = { ...body, ...Object.fromEntries(seen) };
    answers.set(stand, body);
    check.call(res, stand);
    if (res.headersSent && res.statusCode === 200) {
      for (const [field, list] of lists) list.noteValidated(place(field));
    }
    return res;
  };
  next();
};
