/** The order of test files: those that start platforms and kill them first, so that none is left over at the end. */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** From the dearest kind of test to the cheapest. */
const kinds = ["chaos", "conformance", "contract", "flows", "integration", "replay", "unit"];

const kindOf = ({ moduleId }: TestSpecification): number =>
  kinds.findIndex((kind) => moduleId.includes(`/test/${kind}/`));

export class LongestFirst extends BaseSequencer {
  /** Within a kind as Vitest would: what failed or took long before, then the larger file, first. */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((one, other) => kindOf(one) - kindOf(other));
  }
}
