import { describe, expect, it } from 'vitest';
import { Path } from '../field/index.ts';
import {
  validateCreateOptions,
  validateDeleteOptions,
  validateFieldManager,
  validatePatchOptions,
  validateTableOptions,
  validateUpdateOptions,
} from './options.ts';

const apply = 'application/apply-patch+yaml';
const merge = 'application/merge-patch+json';

describe('write options', () => {
  it('are checked the same for creating, updating and patching', () => {
    const options = { fieldManager: 'a\x07é\u200b', dryRun: ['x'], fieldValidation: 'strict' };
    const errors = [
      'fieldManager: Invalid value: "a\\aé\\u200b": invalid character U+0007 (at position 1)',
      'fieldManager: Invalid value: "a\\aé\\u200b": invalid character U+200B (at position 4)',
      'dryRun: Unsupported value: ["x"]: supported values: "All"',
      'fieldValidation: Unsupported value: "strict": supported values: "", "Ignore", "Strict", "Warn"',
    ];
    expect(validateCreateOptions(options).map(String)).toEqual(errors);
    expect(validateUpdateOptions(options).map(String)).toEqual(errors);
    expect(validatePatchOptions(options, merge).map(String)).toEqual(errors);
    const good = { fieldManager: 'kubectl', dryRun: ['All', 'All'], fieldValidation: 'Strict' };
    expect(validateCreateOptions(good)).toEqual([]);
    expect(validateUpdateOptions({})).toEqual([]);
  });

  it('require a field manager for apply, and allow force only for apply', () => {
    expect(validatePatchOptions({}, apply).map(String)).toEqual([
      'fieldManager: Required value: is required for apply patch',
    ]);
    expect(validatePatchOptions({ fieldManager: 'm', force: true }, apply)).toEqual([]);
    expect(validatePatchOptions({ force: false }, merge).map(String)).toEqual([
      'force: Forbidden: may not be specified for non-apply patch',
    ]);
  });

  it('limit a field manager to 128 bytes', () => {
    const path = Path.of('manager');
    expect(validateFieldManager('m'.repeat(128), path)).toEqual([]);
    expect(validateFieldManager('é'.repeat(65), path).map(String)).toEqual([
      'manager: Too long: may not be more than 128 bytes',
    ]);
    expect(validateFieldManager('\t'.repeat(1000), path)).toHaveLength(129);
  });
});

describe('validateDeleteOptions', () => {
  const together = 'ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: cannot be set together with';
  it.each<[why: string, options: Parameters<typeof validateDeleteOptions>[0], errors: string[]]>([
    ['none', {}, []],
    ['a policy', { propagationPolicy: 'Foreground', gracePeriodSeconds: 0 }, []],
    [
      'an unknown policy together with the old option',
      { propagationPolicy: 'Later', orphanDependents: true },
      [
        'propagationPolicy: Invalid value: "Later": orphanDependents and deletionPropagation cannot be both set',
        'propagationPolicy: Unsupported value: "Later": supported values: "Foreground", "Background", "Orphan", "nil"',
      ],
    ],
    [
      'an unknown dry run',
      { dryRun: ['All', 'none'] },
      ['dryRun: Unsupported value: ["All","none"]: supported values: "All"'],
    ],
    ['an unsafe deletion', { ignoreStoreReadErrorWithClusterBreakingPotential: true, dryRun: [] }, []],
    [
      'an unsafe deletion with everything else',
      {
        ignoreStoreReadErrorWithClusterBreakingPotential: true,
        dryRun: ['All'],
        propagationPolicy: 'Orphan',
        orphanDependents: false,
        gracePeriodSeconds: 0,
        preconditions: { uid: 'x' },
      },
      [
        'propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
        `${together} .dryRun`,
        `${together} .propagationPolicy`,
        `${together} .orphanDependents`,
        `${together} .gracePeriodSeconds`,
        `${together} .preconditions`,
      ],
    ],
  ])('%s', (_, options, errors) => {
    expect(validateDeleteOptions(options).map(String)).toEqual(errors);
  });
});

describe('validateTableOptions', () => {
  it('accepts three policies', () => {
    for (const includeObject of [undefined, '', 'None', 'Metadata', 'Object']) {
      expect(validateTableOptions({ includeObject })).toEqual([]);
    }
    expect(validateTableOptions({ includeObject: 'x' }).map(String)).toEqual([
      "includeObject: Invalid value: \"x\": must be 'Metadata', 'Object', 'None', or empty",
    ]);
  });
});
