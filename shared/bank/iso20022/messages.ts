/** The messages of ISO 20022 that pass between platform and bank, by the namespace of their version. */
const namespaceOf = (version: string): string => `urn:iso:std:iso:20022:tech:xsd:${version}`;

export const namespaces = {
  creditTransfers: namespaceOf("pain.001.001.09"),
  directDebits: namespaceOf("pain.008.001.08"),
  paymentStatus: namespaceOf("pain.002.001.10"),
  notifications: namespaceOf("camt.054.001.08"),
  statements: namespaceOf("camt.053.001.08"),
} as const;

export type IncomingMessage = "paymentStatus" | "notifications" | "statements";

/** What is read of a message as a whole, and below which elements its parts lie. */
export interface MessageShape {
  readonly message: IncomingMessage;
  readonly root: string;
  /** Paths below the root of elements whose children are parts of their own. */
  readonly containers: ReadonlySet<string>;
}

const account = (message: IncomingMessage, root: string, report: string): MessageShape => ({
  message,
  root,
  containers: new Set([report, `${report}/Ntry`, `${report}/Ntry/NtryDtls`]),
});

/** Which message a namespace announces; undefined: none that a bank sends to the platform. */
export const shapeOf = (namespace: string): MessageShape | undefined => {
  switch (namespace) {
    case namespaces.paymentStatus:
      return {
        message: "paymentStatus",
        root: "CstmrPmtStsRpt",
        containers: new Set(["OrgnlPmtInfAndSts"]),
      };
    case namespaces.notifications:
      return account("notifications", "BkToCstmrDbtCdtNtfctn", "Ntfctn");
    case namespaces.statements:
      return account("statements", "BkToCstmrStmt", "Stmt");
    default:
      return undefined;
  }
};

/** What is expected, for sentences. */
export const expectedNamespaces = [
  namespaces.paymentStatus,
  namespaces.notifications,
  namespaces.statements,
].join(", ");
