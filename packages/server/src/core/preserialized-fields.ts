// A part of a response that is the same for many callers: its fields are serialized once.
import type { OperationId } from './contract.ts';
import { LARGE_BYTES } from './preserialized-json.ts';

/** Fields that are serialized once, and validated once for each operation, however many responses have them. */
export class PreserializedFields<Fields extends object> {
  readonly fields: Fields;
  /** Their JSON, without the braces; a buffer if it is large. */
  readonly json: string | Buffer;
  /** The operations in whose response they were found valid. */
  readonly foundValidIn = new Set<OperationId>();

  constructor(fields: Fields) {
    this.fields = fields;
    const text = JSON.stringify(fields).slice(1, -1);
    this.json = text.length > LARGE_BYTES ? Buffer.from(text) : text;
  }

  /** The approximate size in bytes: of the fields, and of their JSON. */
  get bytes(): number {
    return 2 * this.json.length;
  }
}

/**
 * A response with fields that other responses have as well. The document must not require these fields, nor relate them to the own
 * fields of the response: both parts are validated apart.
 */
export class PartlySerializedResponse<Own extends object, Shared extends object> {
  /** All other fields. */
  readonly own: Own;
  readonly shared: readonly PreserializedFields<Shared>[];

  constructor(own: Own, shared: readonly PreserializedFields<Shared>[]) {
    this.own = own;
    this.shared = shared;
  }

  toJSON(): Own & Partial<Shared> {
    return Object.assign({}, this.own, ...this.shared.map(({ fields }) => fields));
  }
}
