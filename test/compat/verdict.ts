/** What became of one thing that was tried. */
export interface Verdict {
  readonly step: string;
  readonly ok: boolean;
  /** What went wrong. */
  readonly why?: string;
}

/** What the judge of a cluster has said so far: a JSON object a line. A last line that is not whole yet is left out. */
export function readVerdicts(text: string): Verdict[] {
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => verdictOf(JSON.parse(line)));
}

function verdictOf(value: unknown): Verdict {
  if (typeof value !== 'object' || value === null || !('step' in value) || !('ok' in value))
    throw new Error(`no verdict: ${JSON.stringify(value)}`);
  const why = 'why' in value ? { why: String(value.why) } : {};
  return { step: String(value.step), ok: value.ok === true, ...why };
}

/** One line of `go test -json`, as far as we read it. */
interface GoTestEvent {
  readonly Action: string;
  readonly Test?: string;
  readonly Output?: string;
}

/** The steps that a Go test named, by `go test -json`: each is a test within a test. */
export function readGoTest(text: string): Verdict[] {
  const said = new Map<string, string>();
  const verdicts: Verdict[] = [];
  for (const line of text.split('\n').filter((each) => each.startsWith('{'))) {
    const { Action: action, Test: name, Output: output } = JSON.parse(line) as GoTestEvent;
    if (!name?.includes('/')) continue;
    const step = name.slice(name.indexOf('/') + 1).replaceAll('_', ' ');
    // Failures are told from the place in the test that they happened at.
    const failure = /^\s+\w+_test\.go:\d+: (.*)/s.exec(output ?? '')?.[1];
    if (failure !== undefined) said.set(step, failure.trim());
    if (action === 'pass') verdicts.push({ step, ok: true });
    else if (action === 'fail') verdicts.push({ step, ok: false, why: said.get(step) ?? 'the log tells more' });
  }
  return verdicts;
}
