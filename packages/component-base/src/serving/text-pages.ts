import { newNotAcceptable } from '@coxswain/apimachinery/errors';
import { type ApiRequest, type ApiResponse, headerOf, jsonErrorResponse } from '../http/index.ts';
import { versionInfo } from '../version/index.ts';

const warning =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.';
const pageTypes = ['application/json', 'application/yaml', 'text/plain'];

export const plainText = (text: string): ApiResponse => ({
  status: 200,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: Buffer.from(text),
});

/** A page for people. Differs from upstream: only plain text is supported. */
export function textPage(request: ApiRequest, text: string): ApiResponse {
  const accept = headerOf(request, 'accept');
  const isAccepted = accept === '' || /(^|[\s,])(\*\/\*|text\/(\*|plain))/.test(accept);
  return isAccepted ? plainText(text) : jsonErrorResponse(newNotAcceptable(pageTypes), request);
}

/** The text of `/flagz`: the values of a component's flags, by name. */
export function flagsText(component: string, flags: Readonly<Record<string, unknown>>): string {
  const lines = Object.keys(flags)
    .sort()
    .map((name) => `${name}: ${shown(flags[name])}\n`);
  return `\n${component} flagz\n${warning}\n${lines.join('')}`;
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return `[${value.join(',')}]`;
  if (value instanceof Map) return [...value].map(([key, one]) => `${key}=${one}`).join(',');
  return value === undefined || value === null ? '' : String(value);
}

export interface StatusText {
  readonly component: string;
  readonly started: Date;
  readonly now: Date;
  readonly paths: readonly string[];
}

/** The text of `/statusz`: start time, uptime, versions and paths. */
export function statusText({ component, started, now, paths }: StatusText): string {
  const { gitVersion, emulationMajor, emulationMinor, goVersion } = versionInfo;
  const rows = [
    ['Started', startedText(started)],
    ['Up', upText(now.getTime() - started.getTime())],
    ['Go version', goVersion],
    ['Binary version', gitVersion.slice(1)],
    ['Emulation version', `${emulationMajor}.${emulationMinor}`],
    ['Paths', [...paths].sort().join(' ')],
  ];
  return `\n${component} statusz\n${warning}\n\n${rows.map(([name, value]) => `${name}  ${value}\n`).join('')}`;
}

/** `Sun Nov 15 20:47:05 UTC 2026` */
function startedText(time: Date): string {
  const [weekday = '', day = '', month = '', year = '', clock = ''] = time.toUTCString().replace(',', '').split(' ');
  return `${weekday} ${month} ${String(Number(day)).padStart(2)} ${clock} UTC ${year}`;
}

function upText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${Math.floor(seconds / 3600)} hr ${two(Math.floor(seconds / 60) % 60)} min ${two(seconds % 60)} sec`;
}
