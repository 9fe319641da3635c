/** Mario Rossi does not see a top-up: the partner opens a ticket, and the operators work on it to its end. */
import * as attachments from "../../../shared/contracts/ticketing/attachments.js";
import * as changes from "../../../shared/contracts/ticketing/changes.js";
import * as operators from "../../../shared/contracts/ticketing/operators.js";
import * as tickets from "../../../shared/contracts/ticketing/tickets.js";
import * as told from "../../../shared/contracts/story/story.js";
import type { Customer } from "./onboarding.js";
import type { Story } from "./teller.js";

const receipt = new TextEncoder().encode(
  "date,amount,currency,reason\n2025-03-18,50.00,EUR,Ricarica wallet\n",
);

const opensTicket = async ({ at, tell, name }: Story, walletId: string): Promise<string> => {
  await at("2025-03-19T08:00");
  const { Response } = await tell(tickets.createTicketRoute, {
    body: {
      walletid: walletId,
      externalid: "HD-2210",
      product: "wallet",
      impact: "isolato",
      type: "Consumer",
      category: "Ricarica non visibile",
      title: "Top-up not visible",
      description: "The customer topped up 50.00 EUR on 18 March and does not see it.",
    },
  });
  name(Response.caseNumber, told.caseNumber);
  return Response.caseNumber;
};

const isAnswered = async (
  { at, tell }: Story,
  params: { readonly casenumber: string },
): Promise<void> => {
  await at("2025-03-19T08:30");
  await tell(operators.listQueueRoute, { query: { priority: "2" } }, "platform");
  await tell(operators.getOperatorTicketRoute, { params }, "platform");
  await tell(
    operators.takeInChargeRoute,
    { params, body: { text: "We look for the transfer." } },
    "platform",
  );
  await at("2025-03-19T09:00");
  await tell(
    operators.askCustomerRoute,
    { params, body: { text: "On which day was the transfer made?" } },
    "platform",
  );
  await at("2025-03-19T10:30");
  await tell(changes.postCommentRoute, {
    params,
    body: { text: "On 18 March; the receipt is attached." },
  });
  const { id } = await tell(attachments.postAttachmentRoute, {
    params,
    query: { filename: "receipt.csv" },
    body: receipt,
  });
  await tell(attachments.listAttachmentsRoute, { params });
  await tell(attachments.getAttachmentRoute, { params: { ...params, attachmentid: String(id) } });
};

const isResolved = async (
  { at, call, tell }: Story,
  params: { readonly casenumber: string },
): Promise<void> => {
  await at("2025-03-19T11:00");
  await call(
    operators.askCustomerRoute,
    { params, body: { text: "Which account did it come from?" } },
    "platform",
  );
  await at("2025-03-19T11:15");
  await tell(
    operators.postOperatorCommentRoute,
    { params, body: { text: "The bank names the account: no answer is needed." } },
    "platform",
  );
  await tell(
    operators.resumeTicketRoute,
    { params, body: { text: "We go on without the answer." } },
    "platform",
  );
  await at("2025-03-19T12:00");
  await tell(
    operators.resolveTicketRoute,
    { params, body: { text: "The transfer has arrived and is credited." } },
    "platform",
  );
  await at("2025-03-19T14:00");
  await tell(tickets.getTicketRoute, { params });
  await tell(changes.updateStatusBodyRoute, {
    params,
    body: { status: "Closed", closingResponse: "The customer sees the top-up." },
  });
  await tell(tickets.getTimelineRoute, { params });
};

/** Two more tickets: one that its partner takes back, one that is no ticket for the operators. */
const others = async ({ at, call, tell, name }: Story): Promise<void> => {
  await at("2025-03-19T15:00");
  const open = async (title: string, storys: string): Promise<{ readonly casenumber: string }> => {
    const { Response } = await call(tickets.createTicketRoute, {
      body: {
        product: "cards",
        type: "Business",
        category: "Segnalazioni B2B",
        title,
        description: `${title}: please let us know when it is there.`,
      },
    });
    name(Response.caseNumber, storys);
    return { casenumber: Response.caseNumber };
  };
  const canceled = {
    ...(await open("Report of February", told.canceledCaseNumber)),
    newStatus: "Canceled" as const,
  };
  await tell(changes.updateStatusPathRoute, {
    params: canceled,
    body: { closingResponse: "We found the report ourselves." },
  });
  const params = await open("A card of another bank", told.rejectedCaseNumber);
  await tell(
    operators.rejectTicketRoute,
    { params, body: { text: "The card is not ours: please ask the bank that issued it." } },
    "platform",
  );
};

export const askForHelp = async (story: Story, { walletId }: Customer): Promise<void> => {
  const casenumber = await opensTicket(story, walletId);
  await isAnswered(story, { casenumber });
  await isResolved(story, { casenumber });
  await others(story);
  await story.tell(tickets.listTicketsRoute, { params: { status: "Closed" } });
  await story.tell(tickets.getWalletTicketsRoute, { params: { walletid: walletId } });
};
