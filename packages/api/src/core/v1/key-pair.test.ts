import { describe, expect, it } from 'vitest';
import { keyPairProblem } from './key-pair.ts';

/** An RSA certificate with a short key, as it protects nothing, and the key as PKCS #8 and PKCS #1. */
const certificate = [
  '-----BEGIN CERTIFICATE-----',
  'MIIBcDCCARqgAwIBAgITL8x50ZaR9FRmu+bgFyJ/ktByIjANBgkqhkiG9w0BAQsF',
  'ADAMMQowCAYDVQQDDAFyMCAXDTI2MTExNTA5NDU1OFoYDzIxMjYxMDIyMDk0NTU4',
  'WjAMMQowCAYDVQQDDAFyMFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAOAj1cjlFVR/',
  'Qf9LqWsoDZ+t+nIqZHVeeUCggxpENgOTWWKOi8GQEuDDG4g2YWUFBdzbRsyL/Fo2',
  '3Q67W57d8zkCAwEAAaNTMFEwHQYDVR0OBBYEFPsMA7xOZyOZoiV6+HNg2I2R25BL',
  'MB8GA1UdIwQYMBaAFPsMA7xOZyOZoiV6+HNg2I2R25BLMA8GA1UdEwEB/wQFMAMB',
  'Af8wDQYJKoZIhvcNAQELBQADQQABVeZkHRGTfMx4dyMZGrImwIxOVgyU0WN5AXbs',
  'fy57nC4SBDYweQYKKTy9G393dGI79bXavXdYf9h70MerUCz2',
  '-----END CERTIFICATE-----',
].join('\n');
const key = [
  '-----BEGIN PRIVATE KEY-----',
  'MIIBVgIBADANBgkqhkiG9w0BAQEFAASCAUAwggE8AgEAAkEA4CPVyOUVVH9B/0up',
  'aygNn636cipkdV55QKCDGkQ2A5NZYo6LwZAS4MMbiDZhZQUF3NtGzIv8WjbdDrtb',
  'nt3zOQIDAQABAkEA2MCu0D0BGJqMJydzKeYs7ptfk6H9TidTWLUgs3j9RwwapYa8',
  'h5h3rljxKcqvnz+nlt9JKbjB2qVVvEHQoyKLJQIhAP0qgDO9efbHAs1Tf1TcmyPd',
  '6gz1fGjABTnvaiSL+osrAiEA4qYne/wZw6TueQ1UBwLptz/pRbpPLWjxE0BgeeJk',
  'OSsCICvKVjKc66PL+KgbcUL0hcFGeV2UeNiFnmHPD8USkVvRAiEAqRFWjMculOGY',
  'PlZx4tUKcHbNVQU4gOAyTLEOBn2ZU4cCIQCaFazp8XkYXAqdhoZU8YeA2GUxrg8x',
  'OsEz+CQK8vfOcw==',
  '-----END PRIVATE KEY-----',
].join('\n');
const oldKey = [
  '-----BEGIN RSA PRIVATE KEY-----',
  'MIIBPAIBAAJBAOAj1cjlFVR/Qf9LqWsoDZ+t+nIqZHVeeUCggxpENgOTWWKOi8GQ',
  'EuDDG4g2YWUFBdzbRsyL/Fo23Q67W57d8zkCAwEAAQJBANjArtA9ARiajCcncynm',
  'LO6bX5Oh/U4nU1i1ILN4/UcMGqWGvIeYd65Y8SnKr58/p5bfSSm4wdqlVbxB0KMi',
  'iyUCIQD9KoAzvXn2xwLNU39U3Jsj3eoM9XxowAU572oki/qLKwIhAOKmJ3v8GcOk',
  '7nkNVAcC6bc/6UW6Ty1o8RNAYHniZDkrAiArylYynOujy/ioG3FC9IXBRnldlHjY',
  'hZ5hzw/FEpFb0QIhAKkRVozHLpThmD5WceLVCnB2zVUFOIDgMkyxDgZ9mVOHAiEA',
  'mhWs6fF5GFwKnYaGVPGHgNhlMa4PMTrBM/gkCvL3znM=',
  '-----END RSA PRIVATE KEY-----',
].join('\n');
const otherKey = [
  '-----BEGIN RSA PRIVATE KEY-----',
  'MIIBOgIBAAJBALytmoDKVXbWvpmjCSZ1+kYA/UtRqw5DZjJewE/zhCGbMz1ugeNK',
  'j/Uw2rz16x2xKXMyHr0J49AG+Kyc5KvRneUCAwEAAQJAZJ6YVLKSnUusXbaqfI5S',
  'J98DNZWaCYM8DwSkvn55Kon0rxA66fdPtqbYnNWjaivzmZOGCP1SWhDdVEqqR7K/',
  'AQIhAO8Bb/pBbNhh3CdI+avtJ5uoUsbBDJ+T33iazcVoJsyhAiEAyhgRJkUxEzkZ',
  'ujz1wVoPAzJvqKQGFyI3PP7liBuuZsUCIC2Ai44MeKl1cBF2njnyK5FB6Yh3ZmzX',
  'HTt71WMY4hIhAiEAx1DNOS1spUTftuqAht3HiKOptG1xBEfequ3Ke16xtvECIDxi',
  'Cjl+FDQugudSC27X0E3KU+X6DQRvLvp8vXv+FYdK',
  '-----END RSA PRIVATE KEY-----',
].join('\n');

describe('an RSA certificate', () => {
  it.each([
    ['its key', key, undefined],
    ['its key in the older form', oldKey, undefined],
    [
      'its key after something else',
      `-----BEGIN PARAMETERS-----\nMQ==\n-----END PARAMETERS-----\n${oldKey}`,
      undefined,
    ],
    ['another key', otherKey, 'tls: private key does not match public key'],
    ['a key that is cut off', oldKey.replace(/\n[^\n]+\n-----END/, '\n-----END'), 'tls: failed to parse private key'],
  ])('is checked against %s', (_, privateKey, problem) => {
    expect(keyPairProblem(certificate, privateKey)).toBe(problem);
  });
});

it('a text of a hundred thousand BEGIN lines is parsed in linear time', () => {
  const text = '-----BEGIN CERTIFICATE-----\n'.repeat(100_000);
  expect(keyPairProblem(`${text}-----END CERTIFICATE-----`, key)).toBe('x509: malformed certificate');
});
