import { describe, expect, test } from 'vitest';
import { toAddress, toNetwork } from './network.ts';

describe('the address by which requests are counted', () => {
  test.each([
    ['192.0.2.7', '192.0.2.7'],
    ['192.0.2.7:4711', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::ffff:c000:207', '192.0.2.7'],
    ['[::ffff:192.0.2.7]:4711', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::9]:4711', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::9]', '2001:db8:1:2::/64'],
    ['2001:db8::', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('of %s is %s', (ip, address) => {
    expect(toAddress(ip)).toBe(address);
  });

  test.each([undefined, '', 'unknown', '_hidden', '1.2.3', 'a:b', '::ffff:999.1.1.1'])(
    'of an invalid IP address is the same for all: %s',
    (ip) => {
      expect(toAddress(ip)).toBe('unknown');
      expect(toNetwork(ip)).toBe('unknown');
    },
  );
});

test('wrong passwords are counted by the /24 of an IPv4 address and by the /64 of an IPv6 address', () => {
  expect(toNetwork('192.0.2.7:80')).toBe('192.0.2.0/24');
  expect(toNetwork('192.0.2.200')).toBe('192.0.2.0/24');
  expect(toNetwork('2001:db8:1:2:3::4')).toBe('2001:db8:1:2::/64');
});
