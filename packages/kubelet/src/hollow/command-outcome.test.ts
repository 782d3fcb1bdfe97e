import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commandOutcome, containerOutcome } from './command-outcome.ts';

const forever = Number.POSITIVE_INFINITY;
const image = 'busybox:1.37';

/** Returns how long the command runs and its exit code, such as `2s, 1`. */
const brief = (command: readonly string[]): string => {
  const outcome = commandOutcome(command);
  if (!outcome) return 'unknown';
  const { runForMs, exitCode } = outcome;
  return runForMs === forever ? 'forever' : `${runForMs / 1000}s, ${exitCode}`;
};

describe('a command', () => {
  it.each<[readonly string[], string]>([
    [['true'], '0s, 0'],
    [['/bin/true', 'whatever'], '0s, 0'],
    [['/bin/false'], '0s, 1'],
    [['/usr/bin/false'], '0s, 1'],
    [['/usr/local/bin/false'], '0s, 1'],
    [['/opt/false'], 'unknown'],
    [['exit', '3'], '0s, 3'],
    [['echo', 'hello'], '0s, 0'],
    [['wget', 'web:80'], '0s, 0'],
    [['/usr/bin/curl', '-sf', 'http://web'], '0s, 0'],
    [['sleep', '5'], '5s, 0'],
    [['/bin/sleep', '1.5'], '1.5s, 0'],
    [['sleep', '1m', '2h', '.5s', '1d'], `${60 + 7200 + 0.5 + 86_400}s, 0`],
    [['sleep', 'infinity'], 'forever'],
    [['sleep'], 'unknown'],
    [['sleep', 'soon'], 'unknown'],
    [['/pause'], 'forever'],
    [['pause'], 'forever'],
    [['tail', '-f', '/dev/null'], 'forever'],
    [['tail', '/etc/hosts'], 'unknown'],
    [['nginx', '-g', 'daemon off;'], 'unknown'],
    [['toString'], 'unknown'],
    [['sh'], 'unknown'],
    [['sh', 'run.sh'], 'unknown'],
    [[], 'unknown'],
  ])('%j: %s', (command, outcome) => expect(brief(command)).toBe(outcome));

  it.each([
    ['exit 1', '0s, 1'],
    ['exit 256', '0s, 0'],
    ['exit', '0s, 0'],
    ['false; exit', '0s, 1'],
    ['exit 2; exit 3', '0s, 2'],
    ['', '0s, 0'],
    ['true', '0s, 0'],
    ['false;', '0s, 1'],
    ["echo 'Hello World' ; sleep 240", '240s, 0'],
    ['sleep 5 && exit 3', '5s, 3'],
    ['false && sleep 5', '0s, 1'],
    ['false && start-server; exit 4', '0s, 4'],
    ['true || start-server', '0s, 0'],
    ['false || exit 5', '0s, 5'],
    ['true || false && exit 6', '0s, 6'],
    ['\n  sleep 1\n\n  sleep 2\n', '3s, 0'],
    ['sleep 1 &&\n sleep 2', '3s, 0'],
    [`echo "hello from $HOSTNAME, \${USER}" $? && exit 7`, '0s, 7'],
    ['echo "say \\"no\\"; exit 1"', '0s, 0'],
    ['sleep "$TIME"', 'unknown'],
    ['exit $CODE', 'unknown'],
    ['exec sleep 3; exit 1', '3s, 0'],
    ["/bin/bash -c 'exit 8'; exit", '0s, 8'],
    ['tail -f /dev/null; exit 1', 'forever'],
    ['start-server; exit 1', 'unknown'],
    ['while true; do sleep 1; done', 'unknown'],
    ['exit $(( $RANDOM / 16384 ))', 'unknown'],
    ['echo $(date); exit 1', 'unknown'],
    ['echo `date`; exit 1', 'unknown'],
    ['echo test > /file; sleep 240', 'unknown'],
    ['sleep 5 & exit 1', 'unknown'],
    ['true | false', 'unknown'],
    ['&& true', 'unknown'],
    ['true &&', 'unknown'],
    ['true && ; false', 'unknown'],
    ['true; ; false', 'unknown'],
    ["echo 'not closed; exit 1", 'unknown'],
  ])('sh -c %j: %s', (script, outcome) => expect(brief(['/bin/sh', '-c', script])).toBe(outcome));

  it('has the exit code and the output that a real shell has', () => {
    const env = { NAME: 'Ada', GREETING: 'good  day' };
    const echo = [
      'echo "a; b"',
      "echo  one ' two '  three",
      'echo',
      `echo "$GREETING" \${NAME}! "\\$NAME"'$NAME'`,
      "sh -c 'echo in; exit 4'",
    ];
    const word = fc.constantFrom('true', 'false', 'exit 3', 'exit', "sh -c 'exit 4'", 'exec false', ...echo);
    const joint = fc.constantFrom(';', ' && ', ' || ', '\n', ' &&\n');
    const script = fc.array(fc.tuple(word, joint), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(script, word, (parts, last) => {
        const text = parts.flat().join('') + last;
        const { exitCode, output = [] } = commandOutcome(['sh', '-c', text], new Map(Object.entries(env)))!;
        const printed = output.map((line) => `${line.text(0)}\n`).join('');
        const { status, stdout } = spawnSync('sh', ['-c', text], { encoding: 'utf8', env: { ...process.env, ...env } });
        expect({ text, exitCode, printed }).toEqual({ text, exitCode: status, printed: stdout });
      }),
      { numRuns: 40 },
    );
  });
});

describe('the output of a script', () => {
  const at = Date.UTC(2026, 10, 7, 6, 5, 4);
  const env = new Map([
    ['NAME', 'Ada'],
    ['GREETING', 'good  day, '],
    ['TIME', '2'],
    ['NONE', ''],
  ]);
  /** Returns the lines with their times, such as `0s one, 2s two`. */
  const printed = (script: string): string => {
    const { output } = commandOutcome(['sh', '-c', script], env) ?? {};
    return output?.map(({ afterMs, text }) => `${afterMs / 1000}s ${text(at + afterMs)}`).join(', ') ?? 'unknown';
  };

  it.each([
    ['echo one; sleep 2; echo two', '0s one, 2s two'],
    ['sleep 5', ''],
    ['tail -f /dev/null', ''],
    ['tail -f /var/log/messages', 'unknown'],
    [
      'date; echo Hello from the Kubernetes cluster',
      '0s Sat Nov  7 06:05:04 UTC 2026, 0s Hello from the Kubernetes cluster',
    ],
    ['sleep 3 && date', '3s Sat Nov  7 06:05:07 UTC 2026'],
    ['date +%s', 'unknown'],
    ['echo -n one', 'unknown'],
    ["echo 'a\\nb'", 'unknown'],
    [`echo "$GREETING$NAME" and \${NAME}s, \\$NAME`, '0s good  day, Ada and Adas, $NAME'],
    ["echo '$NAME'", '0s $NAME'],
    [`sleep $TIME; echo "\${TIME} s$NONE"`, '2s 2 s'],
    ['echo $GREETING', 'unknown'],
    ['echo $NONE', 'unknown'],
    ['echo "$HOSTNAME"', 'unknown'],
    ['echo "$1x"', 'unknown'],
    ["printenv NAME; sh -c 'echo $TIME'", '0s Ada, 0s 2'],
    ['printenv HOME', 'unknown'],
    ['curl http://web; echo done', 'unknown'],
  ])('sh -c %j: %s', (script, lines) => expect(printed(script)).toBe(lines));
});

describe('a container', () => {
  it.each([
    ['runs its command with its arguments', { image, command: ['sh'], args: ['-c', 'exit 2'] }, 2],
    ['runs its arguments if it has no command', { image, command: [], args: ['false'] }, 1],
    [
      'runs its command even if its image is pause',
      { image: 'registry.k8s.io/pause:3.10.1', command: ['false'], args: [] },
      1,
    ],
  ])('%s', (_, line, exitCode) => expect(containerOutcome(line)).toEqual({ runForMs: 0, exitCode, output: [] }));

  it.each([
    ['registry.k8s.io/pause:3.10.1', forever],
    ['pause', forever],
    ['localhost:5000/pause@sha256:0123', forever],
    ['registry.example/no-pause:1', undefined],
    ['registry.example/pause/other:1', undefined],
    [image, undefined],
  ])('of image %s, and without a command, runs for %s', (name, runForMs) => {
    expect(containerOutcome({ image: name, command: [], args: [] })?.runForMs).toBe(runForMs);
  });
});
