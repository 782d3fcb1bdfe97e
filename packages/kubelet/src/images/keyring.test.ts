import { createHash } from 'node:crypto';
import { parseImageName } from '@coxswain/cri/image-name';
import { describe, expect, it } from 'vitest';
import { type DockerConfig, parseDockerConfigJson, parseDockercfg } from './docker-config.ts';
import { Keyring } from './keyring.ts';

/** A configuration in which each login has the name of its location. */
const configOf = (...locations: readonly string[]): DockerConfig =>
  new Map(locations.map((location) => [location, { username: location, password: 'p', email: '' }]));

function found(image: string, ...locations: readonly string[]): string[] {
  const keyring = new Keyring();
  keyring.add(configOf(...locations));
  return keyring.lookup(parseImageName(image)!.repository).map(({ username }) => username);
}

describe('a login is for', () => {
  it.each([
    ['all images of a registry', 'registry.example', 'registry.example/team/web:1'],
    ['a registry with its port', 'registry.example:5000', 'registry.example:5000/web'],
    ['a registry with a scheme', 'https://registry.example', 'registry.example/web'],
    ['a registry with an API version', 'http://registry.example/v2/', 'registry.example/web'],
    ['the paths that begin so', 'registry.example/team', 'registry.example/team/web'],
    ['the paths that begin so, without a boundary', 'registry.example/te', 'registry.example/team/web'],
    ['a path after an API version', 'https://registry.example/v1/team', 'registry.example/team/web'],
    ['parts of names by a star', '*.registry.example', 'eu.registry.example/web'],
    ['a part with a star in it', 'eu-*.*.example', 'eu-west-1.registry.example/web'],
    ['a star that stands for nothing', 'registry*.example', 'registry.example/web'],
    ['Docker Hub by its old name', 'https://index.docker.io/v1/', 'nginx'],
    ['Docker Hub by its name', 'docker.io', 'team/web'],
    ['a path of Docker Hub', 'docker.io/team', 'team/web'],
    ['an address', '[::1]:5000', '[::1]:5000/web'],
  ])('%s', (_, location, image) => {
    expect(found(image, location)).toEqual([location]);
  });
});

describe('a login is not for', () => {
  it.each([
    ['another registry', 'registry.example', 'other.example/web'],
    ['another port', 'registry.example:5000', 'registry.example/web'],
    ['any port', 'registry.example', 'registry.example:5000/web'],
    ['another path', 'registry.example/team', 'registry.example/other/web'],
    ['more parts than one by a star', '*.example', 'eu.registry.example/web'],
    ['ports by a star', 'registry.example:*', 'registry.example:5000/web'],
    ['paths by a star', 'registry.example/*', 'registry.example/web'],
    ['other registries than Docker Hub', 'https://index.docker.io/v1/', 'registry.example/web'],
    ['anything, without a registry', 'https:///team', 'registry.example/web'],
    ['what a star cannot stand for', 'a*b*c.example', 'acb.example/web'],
  ])('%s', (_, location, image) => {
    expect(found(image, location)).toEqual([]);
  });

  it('a name against which it takes too long to compare', () => {
    const many = `${'*a'.repeat(2000)}.example`;
    expect(found(`${'a'.repeat(900)}b.example/web`, many)).toEqual([]);
  });
});

it('the longest location comes first, and logins of the same location in the order in which they were added', () => {
  const keyring = new Keyring();
  keyring.add(configOf('registry.example', 'registry.example/team'));
  keyring.add(configOf('https://registry.example'));
  const names = keyring.lookup('registry.example/team/web').map(({ username }) => username);
  expect(names).toEqual(['registry.example/team', 'registry.example', 'https://registry.example']);
});

it('logins for Docker Hub by its old name are not used if there are others', () => {
  expect(found('nginx', 'docker.io', 'https://index.docker.io/v1/')).toEqual(['docker.io']);
});

it('the hash is that of upstream', () => {
  const keyring = new Keyring();
  const secret = { uid: '1', namespace: 'default', name: 'key' };
  keyring.add(new Map([['registry.example', { username: 'me', password: '<&>', email: '' }]]), secret);
  const text = '{"username":"me","password":"\\u003c\\u0026\\u003e"}';
  const hash = createHash('sha256').update(text).digest('hex');
  expect(keyring.lookup('registry.example/web')).toEqual([{ username: 'me', password: '<&>', hash, secret }]);
});

describe('a configuration', () => {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  it.each([
    ['username and password', { username: 'me', password: 'hush' }, ['me', 'hush']],
    ['both in one', { auth: base64('me:hush:hush') }, ['me', 'hush:hush']],
    ['both in one, without padding', { auth: base64('me:hush').replaceAll('=', '') }, ['me', 'hush']],
    ['both in one, and others beside', { auth: base64('me:hush'), username: 'x', password: 'y' }, ['me', 'hush']],
    ['nothing', {}, ['', '']],
  ])('has %s', (_, entry, [username, password]) => {
    const config = parseDockerConfigJson(JSON.stringify({ auths: { 'registry.example': entry } }));
    expect(config.get('registry.example')).toEqual({ username, password, email: '' });
    expect(parseDockercfg(JSON.stringify({ 'registry.example': entry }))).toEqual(config);
  });

  it.each([
    ['text', 'hush', 'error occurred while trying to unmarshal json'],
    ['a list', '["hush"]', 'error occurred while trying to unmarshal json'],
    ['a number as a login', '{"auths":{"a":{"password":4711}}}', 'error occurred while trying to unmarshal json'],
    ['no base64', '{"auths":{"a":{"auth":"hush!"}}}', 'illegal base64 data in auth field'],
    ['base64 with wrong padding', '{"auths":{"a":{"auth":"aHVzaA="}}}', 'illegal base64 data in auth field'],
    ['no colon', '{"auths":{"a":{"auth":"aHVzaA"}}}', 'must be formatted as base64(username:password)'],
  ])('that is %s is refused, and its content not told', (_, text, message) => {
    expect(() => parseDockerConfigJson(text)).toThrow(message);
    expect(() => parseDockerConfigJson(text)).not.toThrow(/hush!|aHV|4711|"hush/);
  });
});
