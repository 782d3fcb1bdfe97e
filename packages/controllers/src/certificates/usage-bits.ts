import { keyUsageBits, oids } from '@coxswain/client/x509';

const keyUsages: ReadonlyMap<string, number> = new Map([
  ['signing', keyUsageBits.digitalSignature],
  ['digital signature', keyUsageBits.digitalSignature],
  ['content commitment', keyUsageBits.contentCommitment],
  ['key encipherment', keyUsageBits.keyEncipherment],
  ['key agreement', keyUsageBits.keyAgreement],
  ['data encipherment', keyUsageBits.dataEncipherment],
  ['cert sign', keyUsageBits.certSign],
  ['crl sign', keyUsageBits.crlSign],
  ['encipher only', keyUsageBits.encipherOnly],
  ['decipher only', keyUsageBits.decipherOnly],
]);

/** In the order in which they are written to certificates. */
const extendedKeyUsages: ReadonlyMap<string, string> = new Map([
  ['any', oids.anyExtendedKeyUsage],
  ['server auth', oids.serverAuth],
  ['client auth', oids.clientAuth],
  ['code signing', '1.3.6.1.5.5.7.3.3'],
  ['email protection', '1.3.6.1.5.5.7.3.4'],
  ['s/mime', '1.3.6.1.5.5.7.3.4'],
  ['ipsec end system', '1.3.6.1.5.5.7.3.5'],
  ['ipsec tunnel', '1.3.6.1.5.5.7.3.6'],
  ['ipsec user', '1.3.6.1.5.5.7.3.7'],
  ['timestamping', '1.3.6.1.5.5.7.3.8'],
  ['ocsp signing', '1.3.6.1.5.5.7.3.9'],
  ['microsoft sgc', '1.3.6.1.4.1.311.10.3.3'],
  ['netscape sgc', '2.16.840.1.113730.4.1'],
]);

/** Returns the key usage bits and the extended key usage OIDs. Throws for unknown usages. */
export function usageBits(usages: readonly string[]): { keyUsage: number; extendedKeyUsages: string[] } {
  const unknown = usages.filter((usage) => !keyUsages.has(usage) && !extendedKeyUsages.has(usage));
  if (unknown.length > 0)
    throw new Error(`unrecognized usage values: [${unknown.map((usage) => JSON.stringify(usage)).join(' ')}]`);
  const extended = [...extendedKeyUsages].filter(([usage]) => usages.includes(usage)).map(([, oid]) => oid);
  return {
    keyUsage: usages.reduce((bits, usage) => bits | (keyUsages.get(usage) ?? 0), 0),
    extendedKeyUsages: [...new Set(extended)],
  };
}
