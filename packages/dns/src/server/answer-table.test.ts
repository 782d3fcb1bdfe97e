import { describe, expect, it } from 'vitest';
import { decodeMessage, encodeMessage, type Message, parseRecord, QueryScanner, recordText } from '../wire/index.ts';
import { AnswerTable, answerFor, type KeptAnswer, rotationOf, ttlOffsets } from './answer-table.ts';

const scanner = new QueryScanner(1);
const message = (name: string, answers: readonly string[] = [], more: Partial<Message> = {}): Buffer =>
  encodeMessage({
    id: 0,
    flags: 0,
    questions: [{ name, type: 1, class: 1 }],
    answers: answers.map(parseRecord),
    authorities: [],
    additionals: [],
    ...more,
  });

const kept = (bytes: Buffer): Omit<KeptAnswer, 'hash' | 'keyLength'> => ({
  bytes,
  reuse: { epoch: { value: 0 }, value: 0 },
  ttlOffsets: ttlOffsets(bytes),
  rotation: rotationOf(bytes),
  rcode: 0,
  plugin: '',
  metrics: undefined,
});

const addresses = ['web.example. 30 IN A 10.0.0.1', 'web.example. 20 IN A 10.0.0.2', 'web.example. 30 IN A 10.0.0.3'];

function answer(query: Buffer, ageSeconds = 0, turn = 0): Message {
  const table = new AnswerTable();
  scanner.scan(message('web.example.'));
  table.keep(scanner, kept(message('web.example.', addresses)));
  scanner.scan(query);
  const found = table.find(scanner);
  if (!found) throw new Error('not found');
  return decodeMessage(answerFor(found, query, scanner, ageSeconds, turn));
}

describe('a kept answer', () => {
  it('has the id, the name and the flags of the query', () => {
    const query = message('WEB.example.', [], { id: 77, flags: 0x0100 });
    expect(answer(query)).toMatchObject({ id: 77, flags: 0x0100, questions: [{ name: 'WEB.example.' }] });
  });

  it('has an OPT record if the query has one, with its size and without its options', () => {
    const edns = {
      udpSize: 1232,
      version: 0,
      extendedRcode: 0,
      flags: 0,
      options: Buffer.from('000a000401020304', 'hex'),
    };
    expect(answer(message('web.example.')).edns).toBeUndefined();
    expect(answer(message('web.example.', [], { edns })).edns).toEqual({ ...edns, options: Buffer.alloc(0) });
  });

  it('begins with another address in each turn', () => {
    const order = (turn: number): string[] =>
      answer(message('web.example.'), 0, turn).answers.map((record) => recordText(record).slice(-1));
    expect([0, 1, 2].map(order)).toEqual([
      ['1', '2', '3'],
      ['2', '3', '1'],
      ['3', '1', '2'],
    ]);
  });

  it('is as old as it is, and never older', () => {
    expect(answer(message('web.example.'), 25).answers.map(({ ttl }) => ttl)).toEqual([5, 0, 5]);
  });
});

describe('the table', () => {
  it('does not find other questions, and forgets everything for a new configuration', () => {
    const table = new AnswerTable();
    scanner.scan(message('web.example.'));
    table.keep(scanner, kept(message('web.example.', addresses)));
    scanner.scan(message('wab.example.'));
    expect(table.find(scanner)).toBeUndefined();
    table.clear();
    scanner.scan(message('web.example.'));
    expect(table.find(scanner)).toBeUndefined();
  });

  it('keeps a bounded number of answers, the newest', () => {
    const table = new AnswerTable();
    const count = 40_000;
    for (let index = 0; index < count; index++) {
      const bytes = message(`n${index}.example.`);
      scanner.scan(bytes);
      table.keep(scanner, kept(bytes));
    }
    let found = 0;
    for (let index = 0; index < count; index++) {
      scanner.scan(message(`n${index}.example.`));
      if (table.find(scanner)) found++;
    }
    expect(found).toBeLessThanOrEqual(16_384);
    expect(found).toBeGreaterThan(10_000);
  });
});

it('does not rotate records of different lengths', () => {
  expect(
    rotationOf(message('web.example.', ['web.example. 5 IN CNAME a.example.', 'a.example. 5 IN A 10.0.0.1'])),
  ).toBeUndefined();
});
