/** The outcome of a test: passed, or the details of the failure. */
export type Outcome = 'passed' | Failure;

export interface Failure {
  /** The last step before the failure; absent if it failed before its first step. */
  readonly step?: string;
  /** The beginning of the first failure's message, without parts that differ between runs. */
  readonly message: string;
  /** Its location in Kubernetes' source, such as `test/e2e/apps/job.go:99`. */
  readonly at: string;
}

/** The used fields of the report that ginkgo writes with `--json-report`: one entry for each suite. */
export type GinkgoReport = readonly { readonly SpecReports: readonly SpecReport[] | null }[];

export interface SpecReport {
  readonly ContainerHierarchyTexts: readonly string[] | null;
  /** `It` is a test; other types set up and tear down the suite. */
  readonly LeafNodeType: string;
  readonly LeafNodeText: string;
  readonly State: string;
  readonly Failure?: SpecFailure;
  readonly SpecEvents?: readonly SpecEvent[];
}

interface SpecEvent extends OnTimeline {
  /** `By` is a step of a test. */
  readonly SpecEventType: string;
  readonly Message?: string;
}

interface SpecFailure extends OnTimeline {
  readonly Message?: string;
  /** The value of a panic. */
  readonly ForwardedPanic?: string;
  readonly Location?: { readonly FileName?: string; readonly LineNumber?: number };
}

interface OnTimeline {
  /** Events with a lower order were earlier. */
  readonly TimelineLocation?: { readonly Order?: number };
}

const maxMessageLength = 300;

/**
 * Returns the outcome of each named test. Tests that are missing in the report, or skipped themselves, count as failed.
 * Throws when the suite failed before any test.
 */
export function readReport(report: GinkgoReport, names: readonly string[]): Map<string, Outcome> {
  const specs = report.flatMap(({ SpecReports }) => SpecReports ?? []);
  const broken = specs.find(({ LeafNodeType, State }) => /BeforeSuite$/.test(LeafNodeType) && State !== 'passed');
  if (broken && broken.State !== 'skipped')
    throw new Error(`the suite did not start: ${failureOf(broken).message} (${failureOf(broken).at})`);
  const byName = new Map(specs.filter(({ LeafNodeType }) => LeafNodeType === 'It').map((spec) => [nameOf(spec), spec]));
  return new Map(names.map((name) => [name, outcomeOf(byName.get(name))]));
}

function nameOf({ ContainerHierarchyTexts, LeafNodeText }: SpecReport): string {
  return [...(ContainerHierarchyTexts ?? []), LeafNodeText].join(' ');
}

function outcomeOf(spec: SpecReport | undefined): Outcome {
  if (!spec) return { message: 'the test binary does not have it', at: '' };
  return spec.State === 'passed' ? 'passed' : failureOf(spec);
}

function failureOf({ State, Failure, SpecEvents }: SpecReport): Failure {
  // Steps of the cleanup follow after the failure.
  const steps = SpecEvents?.filter((event) => event.SpecEventType === 'By' && orderOf(event) < orderOf(Failure)) ?? [];
  const step = steps.at(-1)?.Message;
  const said = [Failure?.Message, Failure?.ForwardedPanic].filter(Boolean).join(': ');
  const message = shorten(withoutChance(withoutDump(said || 'it did not run')));
  return {
    ...(step && { step: shorten(withoutChance(step)) }),
    message: State === 'failed' ? message : `${State}: ${message}`,
    at: placeOf(Failure?.Location),
  };
}

function orderOf(event: OnTimeline | undefined): number {
  return event?.TimelineLocation?.Order ?? 0;
}

function placeOf(location: SpecFailure['Location']): string {
  if (!location?.FileName) return '';
  // The part before the module's version is the local module cache.
  const path = location.FileName.replace(/^.*@v[^/]+\//, '');
  return `${path}:${location.LineNumber ?? 0}`;
}

/** Names, times and addresses that differ between runs. */
const chances: readonly [RegExp, string][] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<uid>'],
  [/\b0x[0-9a-f]+\b/g, '<address>'],
  [/\b\d{1,3}(\.\d{1,3}){3}(:\d+)?\b/g, '<ip>'],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\w.:+-]*/g, '<time>'],
  [/\b(\d+h)?(\d+m)?\d+(\.\d+)?(ms|µs|s)\b/g, '<duration>'],
  // Kubernetes' name generator uses no vowels.
  [/-[bcdfghjklmnpqrstvwxz2456789]{8,10}-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, '-<random>'],
  [/-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, '-<random>'],
  [/-\d{2,}\b/g, '-<number>'],
  [/\bhollow-\d\b/g, 'hollow-<number>'],
  [/\b(resourceVersion\W+)\d+/gi, '$1<number>'],
];

function withoutChance(text: string): string {
  return chances.reduce((rest, [pattern, instead]) => rest.replace(pattern, instead), text);
}

/** Removes the object dumps at the end of many messages, and Go's type names. */
function withoutDump(text: string): string {
  const dump = text.search(/<\*?v\d\w*\.\w+ \| 0x/);
  return (dump > 0 ? text.slice(0, dump) : text).replace(/<\*?[\w.]+ \| 0x[0-9a-f]+>: ?/g, '');
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > maxMessageLength ? `${line.slice(0, maxMessageLength)}…` : line;
}
