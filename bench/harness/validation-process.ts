// One of the two servers that validation.ts compares. Both respond with 20 streams.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { bounds } from '../../packages/server/src/core/limits.ts';
import { ByteQuota } from '../../packages/server/src/http/byte-quota.ts';
import { beginCall } from '../../packages/server/src/http/call.ts';
import { decode } from '../../packages/server/src/http/decode.ts';
import { envelope } from '../../packages/server/src/http/envelope.ts';
import { createResponseValidation, validateParams } from '../../packages/server/src/http/validate.ts';
import { serveCalls } from './child.ts';

const stream = {
  stream_id: 7,
  name: 'kitchen',
  description: 'Food and drink.',
  rendered_description: '<p>Food and drink.</p>',
  date_created: 1_767_603_600,
  first_message_id: 12,
  invite_only: false,
  is_web_public: false,
  is_default: false,
  history_public_to_subscribers: true,
  is_announcement_only: false,
  stream_post_policy: 1,
  message_retention_days: null,
  can_remove_subscribers_group: 3,
  stream_weekly_traffic: 120,
};
const body = {
  result: 'success',
  msg: '',
  streams: Array.from({ length: 20 }, (_, n) => ({ ...stream, stream_id: n })),
};
const path = '/api/v1/streams';

const app = express().disable('x-powered-by').disable('etag');
if (JSON.parse(process.argv[2] ?? '{}').variant === 'bare') app.get(path, (_req, res) => void res.json(body));
else {
  app.use(envelope({ idleTimeoutMs: 30_000, responseBytes: new ByteQuota(bounds.response_bytes) }));
  app.get(
    path,
    (req, _res, next) => {
      const query = new URLSearchParams(req.originalUrl.split('?')[1]);
      const { params, ignored } = decode('getStreams', { path: {}, query, body: {} });
      beginCall(req, { id: 'getStreams', started: 0, path: {}, caller: undefined, params, ignored });
      next();
    },
    createResponseValidation({}),
    validateParams,
    (_req, res) => void res.json(body),
  );
}

const listener = app.listen(0, '127.0.0.1');
await once(listener, 'listening');

serveCalls({
  port: () => (listener.address() as AddressInfo).port,
  cpu: () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
});
