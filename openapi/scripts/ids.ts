import { type Document, getValueSchema, listOperations, type SchemaObject } from '../src/document/index.ts';

/** An id alone, and ids in a list: a message is sent to a stream, or to users. Null: an integer that is an id of no such kind. */
type Kind = string | null | { readonly one: string; readonly many: string };

const list = (kind: string, names: string): [string, Kind][] => names.split(' ').map((name) => [name, kind]);

/** What the properties and parameters with a name are ids of, wherever there is an integer. */
const byName: Readonly<Record<string, Kind>> = Object.fromEntries([
  ...list(
    'UserId',
    'user_id user_ids sender_id creator_id bot_id bot_owner_id owner_id author_id other_user_id subscribers members',
  ),
  ...list('StreamId', 'stream_id stream_ids new_stream_id prev_stream'),
  ...list('StreamId', 'notifications_stream_id signup_notifications_stream_id'),
  ...list('StreamId', 'realm_notifications_stream_id realm_signup_notifications_stream_id'),
  ...list('MessageId', 'message_id message_ids messages mentions msg_ids unread_message_ids starred_messages'),
  ...list('MessageId', 'anchor max_id max_message_id first_message_id first_message_id_allowed_to_move'),
  ...list('MessageId', 'first_processed_id last_processed_id'),
  ...list('UserGroupId', 'group_id user_group_id subgroups direct_subgroup_ids'),
  ...list('UserGroupId', 'can_mention_group can_remove_subscribers_group can_access_all_users_group'),
  ...list('UserGroupId', 'create_multiuse_invite_group realm_can_access_all_users_group'),
  ...list('UserGroupId', 'realm_create_multiuse_invite_group'),
  ...list('DraftId', 'draft_id'),
  ...list('ScheduledMessageId', 'scheduled_message_id'),
  ...list('TokenId', 'token_id'),
  ...list('ApplicationId', 'application_id'),
  ...list('AttachmentId', 'attachment_id'),
  ...list('LinkifierId', 'filter_id ordered_linkifier_ids'),
  ...list('PlaygroundId', 'playground_id'),
  ...list('ProfileFieldId', 'field_id'),
  ...list('RealmId', 'realm_id'),
  ...list('EventId', 'last_event_id'),
  ['to', { one: 'StreamId', many: 'UserId' }],
  ['recipient_id', null],
]);

/** The same for what has another meaning in a schema or an operation. */
const byProperty: Readonly<Record<string, Kind>> = {
  'Message.id': 'MessageId',
  'sendMessage.id': 'MessageId',
  'MessageEdit.stream': 'StreamId',
  'MessageSnapshot.stream': 'StreamId',
  'MessageReaction.id': 'UserId',
  'Participant.id': 'UserId',
  'MutedUser.id': 'UserId',
  'updateUserGroupMembers.add': 'UserId',
  'updateUserGroupMembers.delete': 'UserId',
  'UserGroup.id': 'UserGroupId',
  'updateUserGroupSubgroups.add': 'UserGroupId',
  'updateUserGroupSubgroups.delete': 'UserGroupId',
  'Draft.id': 'DraftId',
  'createDrafts.ids': 'DraftId',
  // Of a stream or of users, whatever the type says.
  'Draft.to': null,
  'NewDraft.to': null,
  'Token.id': 'TokenId',
  'Application.id': 'ApplicationId',
  'Attachment.id': 'AttachmentId',
  'AttachmentRemoveEvent.id': 'AttachmentId',
  'Linkifier.id': 'LinkifierId',
  'addLinkifier.id': 'LinkifierId',
  'Playground.id': 'PlaygroundId',
  'addPlayground.id': 'PlaygroundId',
  'ProfileField.id': 'ProfileFieldId',
  'createProfileField.id': 'ProfileFieldId',
  'ProfileDatum.id': 'ProfileFieldId',
  'RealmUserUpdateEvent.id': 'ProfileFieldId',
  'reorderProfileFields.order': 'ProfileFieldId',
  'deleteProfileData.data': 'ProfileFieldId',
  'Delivered.id': 'EventId',
};

/** Schemas that are ids themselves. */
const schemas: Readonly<Record<string, string>> = { Principals: 'UserId', Anchor: 'MessageId' };

/** The types of ids: a number takes a plain number, and no id of another kind. */
export const idTypes = `/** An id of one kind. In its place a plain number compiles, and an id of another kind does not. */
export interface IdOf<Kind extends string> { readonly __id?: Kind }
${kindNames()
  .map((name) => `export type ${name} = number & IdOf<'${name}'>;`)
  .join('\n')}
`;

/** The document with `x-id` at each integer that is an id: the name of its type. */
export function withIds(doc: Document, kinds: Readonly<Record<string, Kind>> = byProperty): Document {
  // Not `structuredClone`: variants share parts, and each part gets the marks of its own property.
  const marked = JSON.parse(JSON.stringify(doc)) as Document;
  const unused = new Set(Object.keys(kinds));
  const visit = (owner: string) => (name: string, schema: SchemaObject) => {
    const property = `${owner}.${name}`;
    unused.delete(property);
    const kind = property in kinds ? kinds[property] : byName[name];
    if (kind === undefined && /(^|_)ids?$/.test(name) && hasInteger(schema))
      throw new Error(`${property}: say in scripts/ids.ts what it is an id of.`);
    if (kind) mark(schema, kind);
  };
  for (const [name, schema] of Object.entries(marked.components.schemas)) {
    const kind = schemas[name];
    if (kind === undefined) walk(schema, visit(name));
    else mark(schema, kind);
  }
  for (const { operation, parameters } of listOperations(marked)) {
    for (const one of parameters) visit(operation.operationId)(one.name, getValueSchema(one));
    walk([operation.requestBody, operation.responses], visit(operation.operationId));
  }
  if (unused.size > 0) throw new Error(`scripts/ids.ts names what does not exist: ${[...unused].join(', ')}`);
  return marked;
}

function walk(node: unknown, visit: (name: string, schema: SchemaObject) => void): void {
  if (node === null || typeof node !== 'object') return;
  const { properties = {} } = node as SchemaObject;
  for (const [name, schema] of Object.entries(properties)) visit(name, schema);
  for (const [key, child] of Object.entries(node)) if (key !== 'examples') walk(child, visit);
}

const isInteger = ({ type }: SchemaObject): boolean =>
  type === 'integer' || (Array.isArray(type) && type.includes('integer'));

/** The schemas that a schema is made of, as far as they are of the value itself. */
const partsOf = ({ anyOf = [], oneOf = [], allOf = [] }: SchemaObject): SchemaObject[] => [
  ...anyOf,
  ...oneOf,
  ...allOf,
];

const hasInteger = (schema: SchemaObject): boolean =>
  isInteger(schema) || partsOf(schema).some(hasInteger) || (schema.items !== undefined && hasInteger(schema.items));

function mark(schema: SchemaObject, kind: Exclude<Kind, null>): void {
  const { one, many } = typeof kind === 'string' ? { one: kind, many: kind } : kind;
  if (isInteger(schema)) schema['x-id'] = one;
  if (schema.items) mark(schema.items, many);
  for (const part of partsOf(schema)) mark(part, kind);
}

function kindNames(): string[] {
  const kinds = [...Object.values(byName), ...Object.values(byProperty)].flatMap((kind) =>
    kind === null ? [] : typeof kind === 'string' ? [kind] : [kind.one, kind.many],
  );
  return [...new Set(kinds)].sort();
}
