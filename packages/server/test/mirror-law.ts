// Runs in every test file: after each test, the events that users received must account for all changes (the mirror
// law).
import { afterEach } from 'vitest';
import './fast-check.ts';
import { openChats } from './open-chats.ts';

afterEach(async () => {
  for (const chat of openChats) await chat.holdMirrorLaw();
});
