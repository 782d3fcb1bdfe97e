import { describe, expect, it } from 'vitest';
import { portMapRuleChanges } from './port-map-rules.ts';

const jump = '-A PREROUTING -m addrtype --dst-type LOCAL -j CNI-HOSTPORT-DNAT';
const rule = (network: string, chain: string): string =>
  `-A CNI-HOSTPORT-DNAT -p tcp -m comment --comment "dnat name: \\"${network}\\" id: \\"x\\"" -m multiport --dports 80 -j ${chain}`;
const common = ['-N CNI-HOSTPORT-DNAT', '-N CNI-HOSTPORT-MASQ', jump];

describe('portMapRuleChanges', () => {
  it('removes the rules and chains of a network, and keeps those of others', () => {
    const rules = [...common, '-N CNI-DN-a', '-N CNI-DN-b', rule('mine', 'CNI-DN-a'), rule('other', 'CNI-DN-b')];
    expect(portMapRuleChanges(rules, 'mine')).toEqual([
      [rule('mine', 'CNI-DN-a').replace('-A', '-D'), '-F CNI-DN-a'],
      ['-X CNI-DN-a'],
    ]);
  });

  it('removes the shared chains with the last network, and chains that nothing leads to', () => {
    expect(portMapRuleChanges([...common, '-N CNI-DN-a'], 'mine')).toEqual([
      [jump.replace('-A', '-D'), '-F CNI-DN-a', '-F CNI-HOSTPORT-DNAT', '-F CNI-HOSTPORT-MASQ'],
      ['-X CNI-DN-a', '-X CNI-HOSTPORT-DNAT', '-X CNI-HOSTPORT-MASQ'],
    ]);
    expect(portMapRuleChanges([], 'mine')).toEqual([[], []]);
  });
});
