import { describe, expect, it } from 'vitest';
import type { PodLogOptions } from '../../../generated/core/v1.ts';
import { validatePodLogOptions } from './pod-log-options.ts';

describe('validatePodLogOptions', () => {
  it.each<[string, PodLogOptions, boolean, string[]]>([
    ['nothing asked for', {}, false, []],
    [
      'counts that make no sense',
      { tailLines: -1, limitBytes: 0, sinceSeconds: 0 },
      false,
      [
        'tailLines: Invalid value: -1: must be greater than or equal to 0',
        'limitBytes: Invalid value: 0: must be greater than 0',
        'sinceSeconds: Invalid value: 0: must be greater than 0',
      ],
    ],
    [
      'two times to start from',
      { sinceSeconds: 0, sinceTime: '2026-01-01T00:00:00Z' },
      false,
      ['[]: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified'],
    ],
    ['a stream while there is no choice', { stream: 'All' }, false, ['stream: Forbidden: may not be specified']],
    ['no stream while there is a choice', {}, true, ['stream: Required value: must be specified']],
    [
      'the last lines of one stream',
      { stream: 'Stdout', tailLines: 1 },
      true,
      ['[]: Forbidden: `tailLines` and specific `stream` are mutually exclusive for now'],
    ],
    ['both streams', { stream: 'All', tailLines: 1 }, true, []],
    [
      'an unknown stream',
      { stream: 'X' },
      true,
      ['stream: Unsupported value: "X": supported values: "All", "Stderr", "Stdout"'],
    ],
  ])('judges %s', (_, options, selectsStreams, errors) =>
    expect(validatePodLogOptions(options, selectsStreams).map(String)).toEqual(errors),
  );
});
