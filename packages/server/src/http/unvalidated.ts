// What was serialized once is also validated once, however many responses contain it.
import type { OperationId } from '../core/contract.ts';
import { PartlySerializedResponse } from '../core/preserialized-fields.ts';
import { PreserializedList } from '../core/preserialized-json.ts';

export interface Unvalidated {
  /**
   * The body, in which preserialized lists contain only the items that were not yet found valid in this field, without the
   * preserialized fields that were.
   */
  readonly body: unknown;
  /** Remembers that these were validated. */
  readonly remember: () => void;
}

/**
 * The part of a response body that remains to be validated. The document neither limits the length of these lists nor
 * relates their items, so a list is valid if each item is: items of its source are validated once, replaced items each
 * time.
 */
export function findUnvalidated(id: OperationId, body: unknown): Unvalidated {
  if (body instanceof PartlySerializedResponse) return findUnvalidatedFields(id, body);
  if (typeof body !== 'object' || body === null) return { body, remember: nothing };
  const lists = Object.entries(body).filter(
    (entry): entry is [string, PreserializedList<object>] => entry[1] instanceof PreserializedList,
  );
  if (lists.length === 0) return { body, remember: nothing };
  const toFieldName = (field: string) => `${id}.${field}`;
  const items = lists.map(([field, list]) => [field, list.itemsToValidate(toFieldName(field))] as const);
  const remember = () => {
    for (const [field, list] of lists) list.noteValidated(toFieldName(field));
  };
  return { body: { ...body, ...Object.fromEntries(items) }, remember };
}

function findUnvalidatedFields(
  id: OperationId,
  { own, shared }: PartlySerializedResponse<object, object>,
): Unvalidated {
  const { body, remember } = findUnvalidated(id, own);
  const unvalidated = shared.filter(({ foundValidIn }) => !foundValidIn.has(id));
  if (unvalidated.length === 0) return { body, remember };
  return {
    body: Object.assign({}, body, ...unvalidated.map(({ fields }) => fields)),
    remember() {
      remember();
      for (const { foundValidIn } of unvalidated) foundValidIn.add(id);
    },
  };
}

const nothing = () => {};
