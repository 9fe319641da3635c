/** The records of the card API: account, address, card, card transaction (card seed, 2.1 to 2.4). */
import { z } from "zod";
import {
  accountLevels,
  accountStatuses,
  cardLevels,
  cardStatuses,
} from "../../domain/card/statuses.js";
import { Identifier } from "../identifier.js";

/** Others gave it out: any UUID's shape, as Identifier takes it. */
const Given = z.guid();
const Text = z.string();
const NullableText = z.string().nullable();
const Moment = z.iso.datetime();
const NullableMoment = Moment.nullable();

export const addressTypes = ["PermanentResidence", "Work", "Other", "TemporaryResidence"] as const;
export const relationTypes = ["Primary", "Business", "Supplementary"] as const;
export const transactionStatuses = [
  "Authorised",
  "Declined",
  "Reversed",
  "Presented",
  "Cleared",
] as const;

/** What the processor last said of an account, in its own words. */
export const AccountProcessorData = z.object({
  id: NullableText,
  accountNumber: NullableText,
  type: NullableText,
  productCode: NullableText,
  feeProfile: NullableText,
  accountProfile: NullableText,
  customerId: NullableText,
  sourceId: NullableText,
  status: NullableText,
  statusReasonCode: NullableText,
  currency: NullableText,
});
export type AccountProcessorData = z.infer<typeof AccountProcessorData>;

export const Account = z
  .object({
    accountId: Given,
    customerId: Given,
    accountNumber: Text,
    status: z.enum(accountStatuses),
    type: Text,
    statusReasonCode: NullableText,
    cardProcessorReference: Text,
    externalReference: NullableText,
    creationDate: Moment,
    lastUpdateDate: NullableMoment,
    lockLevel: z.enum(accountLevels).nullable(),
    cardProcessorData: AccountProcessorData,
  })
  .meta({ id: "Account" });
export type Account = z.infer<typeof Account>;

const postalFields = {
  type: z.enum(addressTypes),
  countryCode: NullableText.describe("ISO 3166-1 alpha-3."),
  line1: NullableText,
  line2: NullableText,
  line3: NullableText,
  city: NullableText,
  postOffice: NullableText,
  zipCode: NullableText,
  province: NullableText,
} as const;

/** What the processor last said of an address. */
export const AddressProcessorData = z.object({
  id: NullableText,
  sourceId: NullableText,
  ...postalFields,
});
export type AddressProcessorData = z.infer<typeof AddressProcessorData>;

export const Address = z
  .object({
    addressId: Given,
    cardProcessorReference: Text,
    ...postalFields,
    externalReference: NullableText,
    creationDate: Moment,
    lastUpdateDate: NullableMoment,
    cardProcessorData: AddressProcessorData,
  })
  .meta({ id: "Address" });
export type Address = z.infer<typeof Address>;

/** What the processor last said of a card; all but what it was asked for is null until it has issued it. */
export const CardProcessorData = z.object({
  id: NullableText,
  sourceId: NullableText,
  nameOnCard: NullableText,
  productCode: NullableText,
  accountId: NullableText,
  accountSourceId: NullableText,
  panToken: NullableText,
  maskedPan: NullableText,
  status: NullableText,
  statusReasonCode: NullableText,
  expiryDate: NullableText,
  customerId: NullableText,
  customerSourceId: NullableText,
  relationType: NullableText,
  lockLevel: NullableText,
  membershipFeeEffectiveDate: NullableText,
  embossingData: z.object({
    isPlasticOrdered: z.boolean(),
    persoBureauHandoverDate: NullableText,
  }),
});
export type CardProcessorData = z.infer<typeof CardProcessorData>;

export const Card = z
  .object({
    cardId: z.uuid(),
    accountId: Given,
    customerId: Given.describe("The card holder."),
    barCode: NullableText,
    financialReference: NullableText.describe(
      "The wallet or account that its payments are taken from.",
    ),
    productCode: Text,
    panToken: NullableText.describe("Null until the processor has issued the card."),
    maskedPan: NullableText,
    status: z.enum(cardStatuses),
    statusReasonCode: NullableText,
    lockLevel: z.enum(cardLevels).nullable(),
    expiryDate: z.iso
      .date()
      .nullable()
      .describe("The card can be used to the end of this date's month."),
    cardProcessorReference: NullableText,
    externalReference: NullableText,
    creationDate: Moment,
    lastUpdateDate: NullableMoment,
    nameOnCard: Text,
    cardProcessorData: CardProcessorData,
  })
  .meta({ id: "Card" });
export type Card = z.infer<typeof Card>;

export const CardTransaction = z
  .object({
    transactionId: Text,
    affiliateKey: Text,
    customerId: Given,
    accountId: Given,
    cardId: z.uuid(),
    billingAmount: z.number(),
    feeAmount: z.number(),
    billingCurrency: Text,
    transactionDate: Moment,
    status: z.enum(transactionStatuses),
    metadata: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: "CardTransaction" });
export type CardTransaction = z.infer<typeof CardTransaction>;

/** A change of an account's or a card's state (contract 3.3). */
export const StateChange = z
  .object({
    from: NullableText.describe("Null: it was opened or created."),
    to: Text,
    level: NullableText,
    reason: NullableText,
    note: NullableText,
    actor: Text.describe("The client that asked for it, or the platform itself."),
    at: Moment,
  })
  .meta({ id: "StateChange" });
export type StateChange = z.infer<typeof StateChange>;

export const cardParams = { cardId: Identifier } as const;
/** Of accounts, addresses, and where the card seed names a card so. */
export const idParams = { id: Identifier } as const;

const referenceCharactersMax = 255;

/** A text of the affiliate's own, as it is sent; absent, null and empty are the same: there is none. */
export const Reference = z
  .string()
  .max(referenceCharactersMax, { abort: true })
  .regex(/^\P{Cc}*$/u, "must not hold control characters")
  .transform((text) => (text.trim() === "" ? null : text))
  .nullable()
  .default(null);

export const accountErrors = ["AccountOfAnotherAffiliate", "AccountNotFound"] as const;
export const cardErrors = ["AccountOfAnotherAffiliate", "CardNotFound"] as const;
export const addressErrors = ["AccountOfAnotherAffiliate", "AddressNotFound"] as const;
