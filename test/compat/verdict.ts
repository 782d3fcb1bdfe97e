/** The result of one step. */
export interface Verdict {
  readonly step: string;
  readonly ok: boolean;
  /** The reason of a failure. */
  readonly why?: string;
}

/** Parses the output of the judge so far: one JSON object per line. An incomplete last line is ignored. */
export function readVerdicts(text: string): Verdict[] {
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => verdictOf(JSON.parse(line)));
}

function verdictOf(value: unknown): Verdict {
  if (typeof value !== 'object' || value === null || !('step' in value) || !('ok' in value))
    throw new Error(`not a verdict: ${JSON.stringify(value)}`);
  const why = 'why' in value ? { why: String(value.why) } : {};
  return { step: String(value.step), ok: value.ok === true, ...why };
}

/** The fields of a line of `go test -json` that are used here. */
interface GoTestEvent {
  readonly Action: string;
  readonly Test?: string;
  readonly Output?: string;
}

/** Returns the verdicts of a Go test's steps from the output of `go test -json`. Each step is a subtest. */
export function readGoTest(text: string): Verdict[] {
  const said = new Map<string, string>();
  const verdicts: Verdict[] = [];
  for (const line of text.split('\n').filter((each) => each.startsWith('{'))) {
    const { Action: action, Test: name, Output: output } = JSON.parse(line) as GoTestEvent;
    if (!name?.includes('/')) continue;
    const step = name.slice(name.indexOf('/') + 1).replaceAll('_', ' ');
    // Failure messages begin with the file and line of the test.
    const failure = /^\s+\w+_test\.go:\d+: (.*)/s.exec(output ?? '')?.[1];
    if (failure !== undefined) said.set(step, failure.trim());
    if (action === 'pass') verdicts.push({ step, ok: true });
    else if (action === 'fail') verdicts.push({ step, ok: false, why: said.get(step) ?? 'see the log' });
  }
  return verdicts;
}
