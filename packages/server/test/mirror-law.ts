// Runs in every test file: whatever a test did, the events that people heard tell all of it (house law of the event log).
import { afterEach } from 'vitest';
import './fast-check.ts';
import { openChats } from './open-chats.ts';

afterEach(async () => {
  for (const chat of openChats) await chat.holdMirrorLaw();
});
