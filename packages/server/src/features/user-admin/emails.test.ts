import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Chat, expectError, startChat } from '../../../test/chat.ts';
import { openPostOffice, type PostOffice } from '../../../test/mail-server.ts';
import { sendQueuedEmails } from '../mail/index.ts';

let office: PostOffice;
let chat: Chat;
beforeAll(async () => {
  office = await openPostOffice();
  chat = await startChat({ ownDatabase: true, mail: { to: 'smtp', url: office.url } });
});
afterAll(async () => {
  await chat.close();
  chat.app.mailer.close();
  await office.close();
});
beforeEach(() => void office.received.splice(0));

const silent = (name: string) => chat.user(name, { mirrored: false });

test('a comment on the deactivation of an account is sent to its user by email, once', async () => {
  const ada = await silent('ada');
  await chat.user('bo', { bot_of: ada });
  const params = { user_id: ada.id, deactivation_notification_comment: ' Thank you, and good night. ' };
  await chat.owner.api.deactivateUser(params);
  await chat.owner.api.deactivateUser(params);
  await sendQueuedEmails(chat.app);
  expect(office.received).toMatchObject([{ to: [ada.email], subject: 'Your account at Testing was deactivated' }]);
  expect(office.received[0]?.text).toContain('\nThank you, and good night.\n');
});

test('no email is sent without a comment, for a bot, or when the deactivation fails', async () => {
  const [ada, ben] = [await silent('ada'), await silent('ben')];
  const bo = await chat.user('bo', { bot_of: ben });
  const comment = { deactivation_notification_comment: 'Good night.' };
  await chat.owner.api.deactivateUser({ user_id: ada.id });
  await chat.owner.api.reactivateUser({ user_id: ada.id });
  await chat.owner.api.deactivateUser({ user_id: ada.id, deactivation_notification_comment: '  ' });
  await chat.owner.api.deactivateUser({ user_id: bo.id, ...comment });
  await expectError('UNAUTHORIZED_PRINCIPAL', ben.api.deactivateUser({ user_id: chat.owner.id, ...comment }));
  await expectError('BAD_REQUEST', chat.owner.api.deactivateUser({ user_id: chat.owner.id, ...comment }));
  await sendQueuedEmails(chat.app);
  expect(office.received).toEqual([]);
});
