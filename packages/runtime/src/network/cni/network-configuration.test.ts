import { describe, expect, it } from 'vitest';
import { parseConfigurationList, parseSingleConfiguration } from './network-configuration.ts';

const plugins = [{ type: 'bridge' }];
const parse = (list: object) => parseConfigurationList(JSON.stringify({ name: 'net', plugins, ...list }));

describe('parseConfigurationList', () => {
  it.each([
    ['the version of the list', { cniVersion: '0.4.0' }, '0.4.0'],
    ['the highest of several', { cniVersion: '0.4.0', cniVersions: ['0.3.1', '1.0.0'] }, '1.0.0'],
    ['the highest that is spoken', { cniVersion: '0.4.0', cniVersions: ['1.1.0', '2.0.0'] }, '1.1.0'],
    ['the first version, if there is none', {}, '0.1.0'],
  ])('takes %s', (_, list, version) => {
    expect(parse(list).cniVersion).toBe(version);
  });

  it.each([
    ['no name', { name: undefined }, 'error parsing configuration list: no name'],
    ['a name that is no text', { name: 1 }, 'error parsing configuration list: invalid name type number'],
    ['no plug-ins', { plugins: [] }, 'error parsing configuration list: no plugins in list'],
    [
      'a plug-in without a type',
      { plugins: [{}] },
      "failed to parse plugin config 0: error parsing configuration: missing 'type'",
    ],
    ['a flag that is none', { disableGC: 'no' }, 'error parsing configuration list: invalid value "no" for disableGC'],
    ['a version that is none', { cniVersions: ['x'] }, 'error parsing configuration list: invalid cniVersions'],
    [
      'only plug-ins elsewhere, and none allowed',
      { plugins: undefined, loadOnlyInlinedPlugins: true },
      "`loadOnlyInlinedPlugins` is true, and no 'plugins' key",
    ],
  ])('refuses %s', (_, list, message) => {
    expect(() => parse(list)).toThrow(message);
  });

  it('takes flags as text, and the capabilities that are on', () => {
    const list = parse({ disableCheck: 'True', plugins: [{ type: 'a', capabilities: { x: true, y: false } }] });
    expect(list).toMatchObject({ disableCheck: true, disableGC: false, plugins: [{ type: 'a', capabilities: ['x'] }] });
  });
});

describe('parseSingleConfiguration', () => {
  it('makes a list of one plug-in', () => {
    const text = JSON.stringify({ cniVersion: '0.3.1', name: 'net', type: 'ptp' });
    expect(parseSingleConfiguration(text)).toMatchObject({
      name: 'net',
      cniVersion: '0.3.1',
      plugins: [{ type: 'ptp' }],
    });
    expect(() => parseSingleConfiguration('{"name":"net"}')).toThrow("missing 'type'");
  });
});
