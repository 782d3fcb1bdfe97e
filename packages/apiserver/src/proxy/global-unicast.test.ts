import { parseIPSloppy } from '@coxswain/apimachinery';
import { describe, expect, it } from 'vitest';
import { isGlobalUnicast } from './global-unicast.ts';

// The results of Go's net.IP.IsGlobalUnicast.
describe('isGlobalUnicast', () => {
  it.each([
    '10.0.0.1',
    '192.168.1.1',
    '8.8.8.8',
    '0.0.0.1',
    '169.253.0.1',
    '240.0.0.1',
    '2001:db8::1',
    'fd00::1',
    '::2',
    '::ffff:1.2.3.4',
  ])('takes %s', (address) => expect(isGlobalUnicast(parseIPSloppy(address)!)).toBe(true));

  it.each([
    '127.0.0.1',
    '127.9.9.9',
    '0.0.0.0',
    '255.255.255.255',
    '169.254.169.254',
    '224.0.0.1',
    '239.1.1.1',
    '::',
    '::1',
    'fe80::1',
    'febf::1',
    'ff02::1',
    '::ffff:127.0.0.1',
  ])('refuses %s', (address) => expect(isGlobalUnicast(parseIPSloppy(address)!)).toBe(false));
});
