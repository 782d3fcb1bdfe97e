import { expect, it } from 'vitest';
import { methods } from './messages.ts';

it('encodes the transaction of a creation like etcd’s client', () => {
  // Taken from go.etcd.io/etcd/api v3.6.8.
  const request = methods.txn.request.encode({
    compare: [{ target: 2, key: Buffer.from('/a'), modRevision: 0 }],
    success: [{ requestPut: { key: Buffer.from('/a'), value: Buffer.from('v'), lease: 7n } }],
    failure: [{ requestRange: { key: Buffer.from('/a') } }],
  });
  expect(request.toString('hex')).toBe('0a0810021a022f613000120b12090a022f6112017618071a060a040a022f61');
});
