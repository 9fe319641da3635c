/** Landed migrations are frozen: databases hold what they made, and take no other text of them. */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";

const folder = new URL("../../../shared/database/migrations/", import.meta.url);

/** A new migration adds its line here, in the same commit; no line is ever changed. */
const landed: Readonly<Record<string, string>> = {
  "0001-platform.sql": "e1b23e607567150c0f270611b7193f0500a735994e69237509d409b0f9a954a8",
  "0002-wallet.sql": "fde746ead553a25fc34ec6e14a8386a748cb6b068bf51b6351a128dab91c0635",
  "0003-bank.sql": "7fba97b1a369c51eb508161fbf258f3481479aa34791141ea830c1af94f8f311",
  "0004-onboarding.sql": "7bb0ef466b861a559cc644b2d09bab562052a1c8224c527b722c2912458c3bd5",
  "0005-sandbox.sql": "569205bd7d8bb634aa24645681d03ebd5fddf9b44579ddd733da3fcc5a454c7f",
  "0006-ledger.sql": "e4aec0384656193b9905ebc9b792fd56da6f3c43f7f94ce2dfd4b61b52500a4b",
  "0007-ticketing.sql": "30ca6b429007ee1808ba73599de07e0876143ba2184476d6de88823cd3731676",
  "0008-attachments.sql": "c4658d59b5ab2a9f63fcad9ef0d8c66a003e3564fd7d73a77c7d6b4803fb3999",
  "0009-wallet-management.sql": "66c627bfffa1b8d9e0ebde927cf26e5e4d67d7b7fdcd3541e5dd63aa4801cbb0",
  "0010-wallet-search.sql": "9baad7f88ba7949214155f08ea32e7380d57f4e418d9d55b4a92eea4f0125352",
  "0011-stores.sql": "f23821f31dc050deb233bd977045cac6cba36cd9fb0a4478b8c9d598d1cd90bf",
  "0012-doomed-documents.sql": "d981a94fd9b111844280726acd1de85a358a5fef0fa9f8287da21071be80a2f5",
  "0013-flows-that-are-due.sql": "442b75e2e7e05c27decc73be3da40bc6a3accdda24acf145587bc572ecddac3b",
  "0014-recorded-changes.sql": "611dbb36edbe87545ba900bd23817de035a1580a32002c402157f66dca309085",
  "0015-wallet-transitions.sql": "62d8989fe08e1917d46076a1cbc7af654bffc9570885cfbf699b332f4de71e3b",
  "0016-mandate-changes.sql": "f7c18151a57c7f7e2498fd225c39d4753c6a6d5a5094c745df922ea2493d0a47",
  "0017-iban-changes.sql": "aaeda0b689b21d0516bb25553aa66b0bd6938668ef08d8d334c9afe4703adc52",
  "0018-ticket-changes.sql": "65ae5f2c1420f36578de33c4f0d3314c958a704bb7252a60031d3519042c494b",
  "0019-money.sql": "a4cb75f3cb21461ff4387d35e5a3f99ea884ca812d88d2f5e0724e87b95495f5",
  "0020-operation-commands.sql": "d9e4bee4f5923bcd2c04c43e92f50ee9ebcf5e5249da7e99ae6ba6b84f0b85bf",
  "0021-settlement.sql": "db3513fea86bf0abba4815ba76fa1ffd0718b023f56f5664d2e547f82c9249a2",
  "0022-proof.sql": "c54ed468daac0dc460db2b486222b1e9e594199c32daf9210033db2107815460",
  "0023-operation-figures.sql": "393fb2b2bcc66a5bdc12b74fd2415a6b37fd7e902ac67c90600363329d43869e",
  "0024-o2i-payments.sql": "b5dc12e0f8b8e9e4a3640532c7115d701e0a9310b98147188c5bb25a541c67d5",
  "0025-onboarding-restarts.sql":
    "b103c5a863ff74053f2c5ac7d559b8214903c45bf0afacd1b5d5cc5311f47b6f",
  "0026-answered-transfers.sql": "adbf174198b7bbda3355faf359b33c5153354c0ce0fd62912d352c1a0652f0b3",
  "0027-mandates.sql": "5844a46641d5546ec83f06e56069857f31f7cf7f5aba5de9ea3cfcfd1dd93c0c",
  "0028-identity.sql": "c3384e360f8bf2aea2c872992d61e2b87a7ceced90c479f11007e22d781ea2cb",
  "0029-ticket-operators.sql": "0a1ad1da5cdba4212aa80fdbdf5fe791819d79dd0359d2223af09853ae49cccb",
  "0030-repeats-and-sequences.sql":
    "eb36ec5e049200cd30509f86f8168455dbee294b9b3df6fcbd1b6bacdeae473e",
  "0031-money-from-outside.sql": "65538992e3523889a3a3011c3755e34820ffb2a02331a6c5bc5a69a423894159",
  "0032-bank-notifications.sql": "f2a338287dd20036b0064a0936aca77ecb5c994756bdf5e580c5da11c08f4f47",
  "0033-collections.sql": "d809f29cfca08ea45dbbb5b948391471d81afcf69b7e8645454aa0febdf903b1",
  "0034-store-mandates.sql": "12ddd438c3de5c4523eb8e27bf3808b5a97f1fe5be88a7da5b2bc7f887c49a1e",
  "0035-stores-money.sql": "cecd5c701990342fb4e8efb22dd988169cc8ef34919e23a4ca7ae68a870755cb",
  "0036-closed-wallets-and-books.sql":
    "0e9a4f6735fe98caf14cd259169dc04df5da3f2d3842437837ec45b8aa52fb0c",
  "0037-bank-files.sql": "787fc09834ee01cf15c91e30333604f42485b12035017e858fe25048d4f359be",
  "0039-upkeep.sql": "c082bf1fc4fe79ae4640fc303d95d72945fba8efdc390802a4ca94b284750fe0",
  "0040-event-versions.sql": "2ec5050edbd6f1bfc49ea9f865df2ab8a9b1a2827f308d1afb9143758ef35217",
  "0041-forced-events.sql": "8cc8158cb26634f94a79ce6771c469c8284ab6c14b4c721188b9dd39e4151e61",
  "0042-event-log.sql": "c6f11f3a18f68c304a9a792665317ba6e08b99383e5e7093f6ddb24204cdf10d",
  "0043-held-messages.sql": "07031c1424bd2480a91caa442cba0fb50584afffd7203c5c7029ba492580097a",
  "0044-partners.sql": "7659fa304b057804261079ce065da11c2ab8cc4a66eae5c14205babe92802a97",
  "0045-inbox.sql": "48b95973f72bef7b53097ca8c9f921db4cb732ee6de74088569a60f097a9a604",
  "0046-numbers-in-order.sql": "449a42d6ea3072d5102fedc7ee97d9cbbcab00f4cba0dd5cb73828094d00c22d",
  "0047-cards.sql": "33172c24ab43356ab366b2efb83692780467f414ef230015863cacf680efebca",
  "0049-card-processor.sql": "6bedea8f10e4b61e2e3a5f1aa0ed5a30dcfe95f2fa817c78f732319faf79f52e",
  "0050-authorisations.sql": "137024eb2a54fda0d55ecc43c0f476cdeffa6131eb267014f6604573ccdb7a4a",
  "0051-affiliates.sql": "737a79daa92037ec7a10bd2540965a2e148a4b95b3d75988741aa65e55dae74f",
  "0052-threeds.sql": "eaeb29dafdabb6ea77a66364f8928ff7e3a351c00978a9b44eb14504cb2663a8",
  "0053-clearing.sql": "4121a9d3123805b607e7c2c558f839f4ce93f6476b4ff5e2fb4c8c6ec3d57e87",
  "0054-audit-by-entity.sql": "dc91f13c857165379650a0eb94af3516c934fd4000ec4200ada6433e90c50a06",
  "0056-traces.sql": "9aedfae69c8d54a19b141929f860358188deaebaa9f4a38faa236183c26097d4",
};

/** Numbers of migrations that are being written: whoever lands one takes its number out. */
const given: readonly number[] = [38, 48, 55];

test("each migration has the text with which it landed", async () => {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql"));
  const found = await Promise.all(
    names.sort().map(async (name) => {
      const text = await readFile(new URL(name, folder));
      return [name, createHash("sha256").update(text).digest("hex")] as const;
    }),
  );
  expect(Object.fromEntries(found)).toEqual(landed);
});

test("the migrations are numbered without gap or repeat", async () => {
  const landedNumbers = Object.keys(landed).map((name) => Number(name.slice(0, 4)));
  const numbers = [...landedNumbers, ...given].sort((one, other) => one - other);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
});
