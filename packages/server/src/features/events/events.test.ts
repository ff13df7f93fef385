import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, expectError, startChat } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({
    ownDatabase: true,
    pollTimes: { quiet: 1500, spread: 200, tick: 50, fallback: 50, coalesce: 1 },
  });
});
afterAll(() => chat.close());

describe('registering a queue', () => {
  test('returns the queue, its first event id, the version of the server, and the state', async () => {
    const [ada] = await chat.users('ada');
    const registration = await ada.api.registerQueue();
    expect(registration).toMatchObject({ service_feature_level: 237, user_id: ada.id, max_message_id: -1 });
    expect(registration.queue_id).toEqual(expect.any(String));
    expect(registration.last_event_id).toBeGreaterThanOrEqual(0);
  });

  // shows: 2.2, 3.8, 4.8.8, 8.6, 8.9
  test('returns every limit of specification section 8', async () => {
    const [ada] = await chat.users('ada');
    expect(await ada.api.registerQueue({ event_types: ['realm'] })).toMatchObject({
      max_stream_name_length: 60,
      max_stream_description_length: 1024,
      max_topic_length: 60,
      max_message_length: 10_000,
      max_file_upload_size_mib: 25,
      max_avatar_file_size_mib: 5,
      server_typing_started_expiry_period_milliseconds: 45_000,
      server_typing_stopped_wait_period_milliseconds: 12_000,
      server_typing_started_wait_period_milliseconds: 30_000,
      event_queue_longpoll_timeout_seconds: 90,
      password_min_length: 6,
      password_min_guesses: 10_000,
      realm_message_content_edit_limit_seconds: 600,
      realm_move_messages_within_stream_limit_seconds: 604_800,
      realm_move_messages_between_streams_limit_seconds: 604_800,
    });
  });

  test('returns the parts of the state that event_types or fetch_event_types name', async () => {
    const [ada] = await chat.users('ada');
    const one = await ada.api.registerQueue({ event_types: ['message'] });
    expect(one).toHaveProperty('max_message_id');
    expect(one).not.toHaveProperty('realm_users');
    const other = await ada.api.registerQueue({ event_types: ['message'], fetch_event_types: ['realm_user'] });
    expect(other).toHaveProperty('realm_users');
    expect(other).not.toHaveProperty('max_message_id');
  });

  test('ignores unknown values in client_capabilities', async () => {
    const [ada] = await chat.users('ada');
    const registration = await ada.api.registerQueue({ client_capabilities: { time_travel: true } as never });
    expect(registration).not.toHaveProperty('ignored_parameters_unsupported');
  });

  test('rejects a narrow with an unsupported term, and all public streams for guests', async () => {
    const [ada] = await chat.users('ada');
    const guest = await chat.user('gus', { role: 'guest' });
    const errorResponse = await expectError(
      'BAD_NARROW',
      ada.api.registerQueue({ narrow: [['near' as 'is', '5' as 'dm']] }),
      /near/,
    );
    expect(errorResponse.desc).toContain('near');
    await expectError('BAD_REQUEST', guest.api.registerQueue({ all_public_streams: true }), /guests/i);
  });
});

describe('polling for events', () => {
  test('a poll waits and returns when an event happens', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const { queue_id, last_event_id } = await ben.api.registerQueue({ event_types: ['message'], apply_markdown: true });
    const poll = ben.api.getEvents({ queue_id, last_event_id });
    const id = await chat.message({ from: ada, to: [ben], content: 'soup is ready' });
    const { events } = await poll;
    expect(events).toMatchObject([{ type: 'message', message: { id, content: '<p>soup is ready</p>' }, flags: [] }]);
  });

  test('an unacknowledged event is delivered again; a poll with its id acknowledges it', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const { queue_id, last_event_id } = await ben.api.registerQueue({ event_types: ['message'] });
    await chat.message({ from: ada, to: [ben], content: 'one' });
    await chat.message({ from: ada, to: [ben], content: 'two' });
    const first = await ben.api.getEvents({ queue_id, last_event_id, dont_block: true });
    expect(first.events).toHaveLength(2);
    expect(await ben.api.getEvents({ queue_id, last_event_id, dont_block: true })).toEqual(first);
    const last = first.events.at(-1)?.id ?? 0;
    expect(await ben.api.getEvents({ queue_id, last_event_id: last, dont_block: true })).toEqual({ events: [] });
    await expectError('BAD_REQUEST', ben.api.getEvents({ queue_id, last_event_id, dont_block: true }), /last_event_id/);
  });

  test('an id newer than any issued fails', async () => {
    const [ada] = await chat.users('ada');
    const { queue_id, last_event_id } = await ada.api.registerQueue({ event_types: ['message'] });
    await expectError(
      'BAD_REQUEST',
      ada.api.getEvents({ queue_id, last_event_id: last_event_id + 1000, dont_block: true }),
      /last_event_id/,
    );
  });

  test('a poll without events returns a heartbeat, whatever event types the queue has', async () => {
    const [ada] = await chat.users('ada');
    const { queue_id, last_event_id } = await ada.api.registerQueue({ event_types: ['message'] });
    const first = await ada.api.getEvents({ queue_id, last_event_id });
    expect(first.events).toEqual([{ type: 'heartbeat', id: expect.any(Number) }]);
    const beat = first.events[0]?.id ?? 0;
    expect(beat).toBeGreaterThan(last_event_id);
    const second = await ada.api.getEvents({ queue_id, last_event_id: beat });
    expect(second.events[0]?.id).toBeGreaterThan(beat);
  });

  test('a heartbeat loses no event', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const { queue_id, last_event_id } = await ben.api.registerQueue({ event_types: ['message'] });
    const { events } = await ben.api.getEvents({ queue_id, last_event_id });
    const id = await chat.message({ from: ada, to: [ben] });
    const next = await ben.api.getEvents({ queue_id, last_event_id: events[0]?.id ?? 0, dont_block: true });
    expect(next.events).toMatchObject([{ type: 'message', message: { id } }]);
  });

  test('a second poll of a queue ends the first with an empty list', async () => {
    const [ada] = await chat.users('ada');
    const { queue_id, last_event_id } = await ada.api.registerQueue({ event_types: ['message'] });
    const first = ada.api.getEvents({ queue_id, last_event_id });
    while (chat.app.polls.waiting() === 0) await new Promise(setImmediate);
    const second = ada.api.getEvents({ queue_id, last_event_id });
    expect(await first).toEqual({ events: [] });
    expect((await second).events).toMatchObject([{ type: 'heartbeat' }]);
  });

  test('of two concurrent polls one ends at once and the other goes on', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const { queue_id, last_event_id } = await ben.api.registerQueue({ event_types: ['message'] });
    const polls = [ben.api.getEvents({ queue_id, last_event_id }), ben.api.getEvents({ queue_id, last_event_id })];
    expect(await Promise.race(polls)).toEqual({ events: [] });
    await chat.message({ from: ada, to: [ben] });
    const answers = await Promise.all(polls);
    expect(answers.filter(({ events }) => events.length === 0)).toHaveLength(1);
  });

  test('a queue that is unknown, deleted, expired or of another user is BAD_EVENT_QUEUE_ID with its id', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const { queue_id, last_event_id } = await ada.api.registerQueue({ event_types: ['message'] });
    const errorResponse = await expectError('BAD_EVENT_QUEUE_ID', ben.api.getEvents({ queue_id, last_event_id }));
    expect(errorResponse.queue_id).toBe(queue_id);
    await expectError('BAD_EVENT_QUEUE_ID', ben.api.deleteQueue({ queue_id }));
    await expectError('BAD_EVENT_QUEUE_ID', ada.api.getEvents({ queue_id: 'nonsense', last_event_id }));
    await ada.api.deleteQueue({ queue_id });
    await expectError('BAD_EVENT_QUEUE_ID', ada.api.getEvents({ queue_id, last_event_id }));
  });

  test('deleting a queue ends the poll that waits on it', async () => {
    const [ada] = await chat.users('ada');
    const { queue_id, last_event_id } = await ada.api.registerQueue({ event_types: ['message'] });
    const poll = ada.api.getEvents({ queue_id, last_event_id });
    while (chat.app.polls.waiting() === 0) await new Promise(setImmediate);
    await ada.api.deleteQueue({ queue_id });
    expect(await poll).toEqual({ events: [] });
  });
});

describe('delivery', () => {
  test('a user who was removed from a private stream receives nothing more, not even earlier messages', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    await chat.stream('cellar', { by: ada, members: [ben], invite_only: true });
    const { queue_id, last_event_id } = await ben.api.registerQueue({ event_types: ['message'] });
    await chat.message({ from: ada, to: 'cellar', content: 'secret' });
    await chat.owner.api.unsubscribe({ subscriptions: ['cellar'], principals: [ben.id] });
    expect(await ben.api.getEvents({ queue_id, last_event_id, dont_block: true })).toEqual({ events: [] });
  });

  test('a user who was mentioned and then removed does not receive the message either', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    await chat.stream('closet', { by: ada, members: [ben], invite_only: true });
    const { queue_id, last_event_id } = await ben.api.registerQueue({ event_types: ['message'] });
    await chat.message({ from: ada, to: 'closet', content: `a secret, @**${ben.full_name}**` });
    await chat.owner.api.unsubscribe({ subscriptions: ['closet'], principals: [ben.id] });
    expect(await ben.api.getEvents({ queue_id, last_event_id, dont_block: true })).toEqual({ events: [] });
  });

  test('a mention in a public stream that the user left reaches a queue of all public streams, once', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    await chat.stream('square', { by: ada, members: [ben] });
    const all = await ben.api.registerQueue({ event_types: ['message'], all_public_streams: true });
    const id = await chat.message({ from: ada, to: 'square', content: `hello @**${ben.full_name}**` });
    await ben.api.unsubscribe({ subscriptions: ['square'] });
    const { queue_id, last_event_id } = all;
    const { events } = await ben.api.getEvents({ queue_id, last_event_id, dont_block: true });
    expect(events).toMatchObject([{ message: { id }, flags: ['read', 'historical'] }]);
  });

  test('a user who joins later does not receive earlier messages', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    await chat.stream('attic', { by: ada });
    const { queue_id, last_event_id } = await ben.api.registerQueue({ event_types: ['message'] });
    await chat.message({ from: ada, to: 'attic', content: 'before' });
    await ben.api.subscribe({ subscriptions: [{ name: 'attic' }] });
    const id = await chat.message({ from: ada, to: 'attic', content: 'after' });
    const { events } = await ben.api.getEvents({ queue_id, last_event_id, dont_block: true });
    expect(events).toMatchObject([{ message: { id } }]);
  });

  test('a queue of all public streams receives messages of streams its owner is not in; another queue does not', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    await chat.stream('market', { by: ada });
    await chat.stream('vault', { by: ada, invite_only: true });
    const all = await ben.api.registerQueue({ event_types: ['message'], all_public_streams: true });
    const id = await chat.message({ from: ada, to: 'market' });
    await chat.message({ from: ada, to: 'vault' });
    const { events } = await ben.api.getEvents({
      queue_id: all.queue_id,
      last_event_id: all.last_event_id,
      dont_block: true,
    });
    expect(events).toMatchObject([{ message: { id } }]);
    expect(await ben.takeEvents('message')).toEqual([]);
  });

  test('a narrow delivers only matching messages, and does not filter other events', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    await chat.stream('porch', { by: ada, members: [ben] });
    const { queue_id, last_event_id } = await ben.api.registerQueue({
      narrow: [
        ['stream', 'porch'],
        ['topic', 'Birds'],
      ],
    });
    await chat.message({ from: ada, to: 'porch', topic: 'cats' });
    const id = await chat.message({ from: ada, to: 'porch', topic: 'birds' });
    await ben.api.updateMessageFlags({ messages: [id], op: 'add', flag: 'starred' });
    const { events } = await ben.api.getEvents({ queue_id, last_event_id, dont_block: true });
    expect(events.map((event) => event.type)).toEqual(['message', 'update_message_flags']);
    expect(events).toMatchObject([{ message: { id } }, { flag: 'starred' }]);
  });
});

describe('the life of a queue', () => {
  test('a queue expires after ten minutes without a poll, and each poll renews it', async () => {
    const [ada] = await chat.users('ada');
    const { queue_id, last_event_id } = await ada.api.registerQueue({ event_types: ['message'] });
    chat.clock.advance({ minutes: 9 });
    await ada.api.getEvents({ queue_id, last_event_id, dont_block: true });
    chat.clock.advance({ minutes: 9 });
    await ada.api.getEvents({ queue_id, last_event_id, dont_block: true });
    chat.clock.advance({ minutes: 11 });
    await expectError('BAD_EVENT_QUEUE_ID', ada.api.getEvents({ queue_id, last_event_id, dont_block: true }));
  });

  test('queue_lifespan_secs sets a longer lifespan', async () => {
    const [ada] = await chat.users('ada');
    const { queue_id, last_event_id } = await ada.api.registerQueue({
      event_types: ['message'],
      queue_lifespan_secs: 604_800,
    });
    chat.clock.advance({ days: 6 });
    expect(await ada.api.getEvents({ queue_id, last_event_id, dont_block: true })).toEqual({ events: [] });
    await expectError('BAD_REQUEST', ada.api.registerQueue({ queue_lifespan_secs: 604_801 }), /queue_lifespan_secs/);
  });
});
