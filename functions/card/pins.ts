/** A card's new PIN, and the key that it is encrypted with. */
import { changePinRoute, getPinKeyRoute } from "../../shared/contracts/card/pins.js";
import { changePin } from "../../shared/database/card/pins.js";
import { endpoint } from "../kit/endpoint.js";

const getPinKey = endpoint(getPinKeyRoute, async ({ cardProcessor }, { ok }) =>
  ok(await cardProcessor.pinKey()),
);

const change = endpoint(
  changePinRoute,
  async ({ database, cardProcessor }, { body, caller, okWritten, refuse }) => {
    const changed = await changePin(database, caller, body, (cypher) =>
      cardProcessor.acceptsPin(cypher),
    );
    return changed.ok ? okWritten(changed.value) : refuse(changed);
  },
);

export const pinEndpoints = [getPinKey, change] as const;
