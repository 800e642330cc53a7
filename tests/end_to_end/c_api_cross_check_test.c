// SPDX-License-Identifier: Apache-2.0
// heed_cross_check() and heed_check_answer() from C99: numbers, texts, plans, sizes of structs, mistakes.
#include <heed/cross_check.h>
#include <string.h>

#include "c_api_test.h"

static int starts_with(const char* text, const char* start) { return strncmp(text, start, strlen(start)) == 0; }

static int32_t cross_check(small_call* call, int32_t against, heed_cross_check_report* report) {
  return heed_cross_check(&call->q, &call->k, &call->v, &call->options, against, report, call->message,
                          sizeof call->message);
}

static heed_const_tensor input(const float* data, int64_t channels) {
  return heed_const_tensor_bhnd(data, BATCH, Q_HEADS, Q_LEN, channels);
}

static void test_report(void) {
  static small_call call;
  make_small_call(&call);
  const float sinks[Q_HEADS] = {1.0f, 0.0f, -1.0f, 2.0f};
  call.options.sinks = sinks;
  call.options.sinks_count = Q_HEADS;
  call.options.lse = &call.lse;
  call.options.weights = &call.weights;
  heed_explanation plan, reference_plan;
  heed_explanation_init(&plan);
  heed_explanation_init(&reference_plan);
  static char text[HEED_REPORT_TEXT_SIZE];
  heed_cross_check_report report;
  memset(&report, 0xFF, sizeof report);
  heed_cross_check_report_init(&report);
  check(report.size == sizeof report && report.plan == NULL && report.text.size == 0,
        "heed_cross_check_report_init() sets every field");
  report.plan = &plan;
  report.reference_plan = &reference_plan;
  report.text.data = text;
  report.text.size = sizeof text;
  check(cross_check(&call, HEED_PATH_REFERENCE, &report) == HEED_OK && call.message[0] == '\0',
        "a call is cross-checked");
  check(report.verdict == HEED_PASS && report.out.verdict == HEED_PASS && report.hidden_weight.verdict == HEED_PASS,
        "and passes");
  check(report.out.count == OUT_SIZE && report.lse.count == ROWS && report.weights.count == WEIGHTS_SIZE &&
            report.row_sum.count == ROWS && report.hidden_weight.count == 0,
        "it says how many numbers were compared");
  check(strcmp(report.out.name, "out") == 0 && strcmp(report.row_sum.name, "row sum") == 0, "quantities have names");
  check(report.bound == heed_error_bound(report.score_magnitude, report.max_abs_v, plan.path) &&
            report.max_abs_v > 1.0 && report.max_abs_v <= 2.0,
        "it says the bound");
  check(reference_plan.path == HEED_PATH_REFERENCE && plan.path != HEED_PATH_AUTOMATIC && plan.threads > 0,
        "it says both plans");
  check(strlen(text) + 1 == report.text.needed && starts_with(text, "verdict        pass\n"), "it has a text");
  check(call.lse_data[0] == 1234.0f && call.weights_data[0] == 1234.0f, "outputs of the options are not written");
  check(strcmp(heed_verdict_name(HEED_FAIL), "fail") == 0, "verdicts have names");
}

static void test_answer(void) {
  static small_call call;
  make_small_call(&call);
  call.options.lse = &call.lse;
  call.options.weights = &call.weights;
  check(run(&call) == HEED_OK, "a call is made");
  const heed_const_tensor out = input(call.out_data, VALUE_DIM), lse = input(call.lse_data, 1),
                          weights = input(call.weights_data, KV_LEN);
  heed_cross_check_report report;
  heed_cross_check_report_init(&report);
  heed_explanation plan;
  heed_explanation_init(&plan);
  plan.path = 77;
  report.plan = &plan;
  check(heed_check_answer(&call.q, &call.k, &call.v, &out, &lse, &weights, &call.options, HEED_PATH_REFERENCE, &report,
                          NULL, 0) == HEED_OK &&
            report.verdict == HEED_PASS && report.weights.count == WEIGHTS_SIZE,
        "its answer passes");
  check(plan.path == 77, "an answer that is there has no plan");
  call.lse_data[ROWS - 1] += 0.25f;
  check(heed_check_answer(&call.q, &call.k, &call.v, &out, &lse, NULL, &call.options, HEED_PATH_REFERENCE, &report,
                          NULL, 0) == HEED_OK &&
            report.verdict == HEED_FAIL && report.out.verdict == HEED_PASS && report.lse.verdict == HEED_FAIL &&
            report.weights.verdict == HEED_NOT_CHECKED,
        "a wrong number fails in its quantity");
  check(report.lse.worst[0] == BATCH - 1 && report.lse.worst[1] == Q_HEADS - 1 && report.lse.worst[2] == Q_LEN - 1 &&
            report.lse.worst[3] == 0 && report.lse.got - report.lse.wanted > 0.2 && report.lse.bound_share > 1.0,
        "with its place");
  check(heed_check_answer(&call.q, &call.k, &call.v, NULL, NULL, NULL, NULL, HEED_PATH_REFERENCE, &report, call.message,
                          sizeof call.message) == HEED_NULL_DATA &&
            starts_with(call.message, "out: null pointer"),
        "out must be given");
}

static void test_structs_of_report(void) {
  static small_call call;
  make_small_call(&call);
  heed_cross_check_report report;
  check(cross_check(&call, HEED_PATH_REFERENCE, NULL) == HEED_NULL_DATA &&
            starts_with(call.message, "report: null pointer"),
        "report must be given");
  memset(&report, 0, sizeof report);
  check(cross_check(&call, HEED_PATH_REFERENCE, &report) == HEED_BAD_SIZE &&
            starts_with(call.message, "report: size is 0, expected what heed_cross_check_report_init() sets"),
        "a report without a size is refused");
  heed_cross_check_report_init(&report);
  heed_explanation plan;
  memset(&plan, 0, sizeof plan);
  report.plan = &plan;
  check(cross_check(&call, HEED_PATH_REFERENCE, &report) == HEED_BAD_SIZE &&
            starts_with(call.message, "report: plan: size is 0") && report.verdict == HEED_NOT_CHECKED,
        "and so is a plan");
  heed_cross_check_report_init(&report);
  report.size = offsetof(heed_cross_check_report, score_magnitude);
  report.score_magnitude = 4321.0;
  check(cross_check(&call, HEED_PATH_REFERENCE, &report) == HEED_OK && report.verdict == HEED_PASS &&
            report.score_magnitude == 4321.0,
        "an older, smaller report is not written past its end");
  heed_cross_check_report_init(&report);
  check(cross_check(&call, 99, &report) == HEED_UNKNOWN_NAME && starts_with(call.message, "against: 99") &&
            report.verdict == HEED_NOT_CHECKED,
        "an unknown path is refused");
  call.options.causal = 1;
  check(cross_check(&call, HEED_PATH_REFERENCE, &report) == HEED_POSITION_MISSING, "mistakes in the call are found");
  check(
      heed_cross_check(NULL, &call.k, &call.v, NULL, 0, &report, call.message, sizeof call.message) == HEED_NULL_DATA &&
          starts_with(call.message, "q: null pointer"),
      "q must be given");
}

void test_cross_check(void) {
  test_report();
  test_answer();
  test_structs_of_report();
}
