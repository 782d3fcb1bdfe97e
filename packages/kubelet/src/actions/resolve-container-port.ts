import type { Container } from '@coxswain/api/core/v1';
import { quote } from '@coxswain/apimachinery';

/** The number of a port that a probe names. Throws, in Go's words, when the container has none of that name. */
export function resolveContainerPort(port: number | string, { ports }: Container): number {
  const number =
    typeof port === 'number' ? port : ((ports ?? []).find(({ name }) => name === port)?.containerPort ?? atoi(port));
  if (number > 0 && number < 65_536) return number;
  throw new Error(`invalid port number: ${number}`);
}

function atoi(text: string): number {
  if (!/^[+-]?\d+$/.test(text)) throw new Error(`strconv.Atoi: parsing ${quote(text)}: invalid syntax`);
  return Number(text);
}
