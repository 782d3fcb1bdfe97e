import { describe, expect, it } from 'vitest';
import { parseArguments } from './arguments.ts';

describe('the command line', () => {
  it('runs the tiers api and hollow by default', () => {
    expect(parseArguments([])).toMatchObject({ tiers: ['api', 'hollow'] });
    expect(parseArguments([])).not.toHaveProperty('focus');
  });

  it.each([
    ['api', ['api']],
    ['hollow', ['hollow']],
    ['containers', ['containers']],
    ['all', ['api', 'hollow']],
  ])('--tier %s runs %j', (tier, tiers) => {
    expect(parseArguments(['--tier', tier])).toMatchObject({ tiers });
  });

  it('accepts a pattern and a count', () => {
    expect(parseArguments(['--focus', 'Job .*delete', '--procs=3'])).toMatchObject({ focus: /Job .*delete/, procs: 3 });
  });

  it.each([
    [['--tier', 'containers'], true],
    [['--tier', 'hollow'], false],
    [['--tier', 'hollow', '--real'], true],
  ])('with %j the nodes are real: %j', (args, real) => {
    expect(parseArguments(args)).toMatchObject({ real });
  });

  it('returns undefined for --help', () => {
    expect(parseArguments(['--help'])).toBeUndefined();
  });

  it.each([
    [['--tier', 'real'], /--tier real is not one of/],
    [['--procs', '0'], /--procs 0 is not a count/],
    [['--procs', 'many'], /--procs many is not a count/],
    [['--focus', '('], /Invalid regular expression/],
    [['--fokus', 'x'], /Unknown option/],
  ])('refuses %j', (args, problem) => {
    expect(() => parseArguments(args)).toThrow(problem);
  });
});
