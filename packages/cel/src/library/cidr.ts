import { quote } from '@coxswain/apimachinery';
import {
  add,
  type CostEstimate,
  fixed,
  multiplyByFactor,
  STRING_TRAVERSAL_COST_FACTOR,
} from '../checking/cost-estimate.ts';
import type { CallCost, Library } from '../checking/function-declaration.ts';
import { costSize } from '../values/runtime-type.ts';
import { BOOL, type CelType, INT, opaque, STRING } from '../values/types.ts';
import { CelError, type CelValue, OpaqueValue } from '../values/values.ts';
import { argument, estimateNominalEquality, nominalCost, sum, traversalCost } from './call-cost.ts';
import { globalFunction, method } from './declare.ts';
import { formatAddress, IP, IPValue, parseIP } from './ip.ts';
import { isIPv4Mapped, masked, parsePrefix, sharesPrefix } from './netip.ts';
import { accepts, asCelError } from './parse-error.ts';

const CIDR: CelType<CIDRValue> = opaque('net.CIDR');

/** A network. Bits of the address beyond the prefix are kept. */
export class CIDRValue extends OpaqueValue {
  readonly celType = CIDR;
  readonly address: Uint8Array;
  readonly bits: number;

  constructor(address: Uint8Array, bits: number) {
    super();
    this.address = address;
    this.bits = bits;
  }

  override get costSize(): number {
    return Math.ceil(this.bits / 8);
  }

  equals(other: CelValue): boolean {
    if (!(other instanceof CIDRValue)) throw new CelError('no such overload');
    return this.bits === other.bits && Buffer.compare(this.address, other.address) === 0;
  }

  override toString(): string {
    return `${formatAddress(this.address)}/${this.bits}`;
  }
}

const parseProblem = 'network address parse error during conversion from string';

function parseCIDR(text: string): CIDRValue {
  const { address, bits } = asCelError(
    () => parsePrefix(text),
    (message) => `${parseProblem}: ${parseProblem}: ${message}`,
  );
  if (isIPv4Mapped(address)) {
    throw new CelError(`${parseProblem}: IPv4-mapped IPv6 address ${quote(text)} is not allowed`);
  }
  return new CIDRValue(address, bits);
}

const containsIP = ({ address, bits }: CIDRValue, ip: IPValue): boolean => sharesPrefix(address, ip.bytes, bits);
const containsCIDR = ({ address, bits }: CIDRValue, other: CIDRValue): boolean =>
  bits <= other.bits && sharesPrefix(address, other.address, bits);

/** Runs a parser. A parse error becomes `no such overload`, as in upstream's `containsIP` and `containsCIDR`. */
function parsedOrNoOverload<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw error instanceof CelError ? new CelError('no such overload') : error;
  }
}

const addressSize = { min: 4, max: 16 };

/** The cost of comparing the bytes of the network `times` times, and of parsing the other value if it is a string. */
function containsCost(times: number, base: number, readsOther: boolean): CallCost {
  const traversal = (size: number): number => Math.ceil(size * STRING_TRAVERSAL_COST_FACTOR);
  return {
    needsOverload: readsOther,
    estimate(call) {
      let cost: CostEstimate = sum(
        multiplyByFactor(add(addressSize, addressSize), STRING_TRAVERSAL_COST_FACTOR),
        times > 2 ? multiplyByFactor(addressSize, STRING_TRAVERSAL_COST_FACTOR) : fixed(0),
        fixed(base),
      );
      if (readsOther) cost = add(cost, multiplyByFactor(call.sizeOf(argument(call, 1)), STRING_TRAVERSAL_COST_FACTOR));
      return { cost };
    },
    actual([network, other]) {
      const size = costSize(network!);
      const compared = traversal(2 * size) + (times > 2 ? traversal(size) : 0) + base;
      return readsOther ? compared + traversal(costSize(other!)) : compared;
    },
  };
}

/** `cidr()`, `isCIDR()` and the functions of a network. */
export const cidrLibrary: Library = {
  name: 'kubernetes.net.cidr',
  estimateEquality: estimateNominalEquality(CIDR),
  types: [CIDR],
  functions: [
    globalFunction('cidr', {
      id: 'string_to_cidr',
      parameters: [STRING],
      result: CIDR,
      cost: traversalCost(),
      call: parseCIDR,
    }),
    globalFunction('isCIDR', {
      id: 'is_cidr',
      parameters: [STRING],
      result: BOOL,
      cost: traversalCost(),
      call: (text) => accepts(() => parseCIDR(text)),
    }),
    method('containsIP', {
      id: 'cidr_contains_ip_string',
      parameters: [CIDR, STRING],
      result: BOOL,
      cost: containsCost(2, 0, true),
      call: (cidr, text) =>
        containsIP(
          cidr,
          parsedOrNoOverload(() => parseIP(text)),
        ),
    }),
    method('containsIP', {
      id: 'cidr_contains_ip_ip',
      parameters: [CIDR, IP],
      result: BOOL,
      cost: containsCost(2, 0, false),
      call: containsIP,
    }),
    method('containsCIDR', {
      id: 'cidr_contains_cidr_string',
      parameters: [CIDR, STRING],
      result: BOOL,
      cost: containsCost(3, 1, true),
      call: (cidr, text) => containsCIDR(cidr, parseCIDR(text)),
    }),
    method('containsCIDR', {
      id: 'cidr_contains_cidr',
      parameters: [CIDR, CIDR],
      result: BOOL,
      cost: containsCost(3, 1, false),
      call: containsCIDR,
    }),
    method('ip', {
      id: 'cidr_ip',
      parameters: [CIDR],
      result: IP,
      cost: nominalCost,
      call: ({ address }) => new IPValue(address),
    }),
    method('prefixLength', {
      id: 'cidr_prefix_length',
      parameters: [CIDR],
      result: INT,
      cost: nominalCost,
      call: ({ bits }) => BigInt(bits),
    }),
    method('masked', {
      id: 'cidr_masked',
      parameters: [CIDR],
      result: CIDR,
      cost: nominalCost,
      call: ({ address, bits }) => new CIDRValue(masked(address, bits), bits),
    }),
    globalFunction('string', {
      id: 'cidr_to_string',
      parameters: [CIDR],
      result: STRING,
      call: (cidr) => cidr.toString(),
    }),
  ],
};
