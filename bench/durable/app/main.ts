/** The function app of the durable benches: public libraries only, run by the local host. */
import "./orchestrations.js";
import "./drive.js";
import "./wakeups.js";
