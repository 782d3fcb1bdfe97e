import { describe, expect, it } from 'vitest';
import { parseCsv } from './csv.ts';

// The cases match Go's encoding/csv with FieldsPerRecord = -1.
describe('parseCsv', () => {
  it.each<[sentence: string, text: string, records: string[][]]>([
    ['a line', 'a,b,c\n', [['a', 'b', 'c']]],
    ['a last line without end', 'a,b,c', [['a', 'b', 'c']]],
    [
      'empty lines and carriage returns',
      '\n\na,b\r\n\r\nc,d\r\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['a quoted comma', 'a,"b,c",d\n', [['a', 'b,c', 'd']]],
    ['a doubled quote', 'a,"x""y"\n', [['a', 'x"y']]],
    ['a quoted line end', '"multi\nline",b\n', [['multi\nline', 'b']]],
    ['a quoted line end of two characters', '"multi\r\nline",b\r\n', [['multi\nline', 'b']]],
    ['empty fields', 'a,,\n,\n""\n', [['a', '', ''], ['', ''], ['']]],
    ['a lone carriage return', 'a\rb,c\r', [['a\rb', 'c']]],
    ['quotes to the end', '"a","b"', [['a', 'b']]],
    ['spaces as they are', '  a , b \n', [['  a ', ' b ']]],
    ['nothing', '', []],
  ])('reads %s', (_, text, records) => {
    expect(parseCsv(text)).toEqual(records);
  });

  const missing = 'extraneous or missing " in quoted-field';
  it.each([
    ['a"b,c\n', 'parse error on line 1, column 2: bare " in non-quoted-field'],
    ['x,a"b\n', 'parse error on line 1, column 4: bare " in non-quoted-field'],
    ['"abc\n', `parse error on line 1, column 6: ${missing}`],
    ['"a\nb\n\nc', `record on line 1; parse error on line 4, column 2: ${missing}`],
    ['"a"b,c\n', `parse error on line 1, column 3: ${missing}`],
    ['"a\n"b,c', `record on line 1; parse error on line 2, column 1: ${missing}`],
    ['é,"a"b\n', `parse error on line 1, column 6: ${missing}`],
  ])('refuses %j', (text, message) => {
    expect(() => parseCsv(text)).toThrow(new Error(message));
  });
});
